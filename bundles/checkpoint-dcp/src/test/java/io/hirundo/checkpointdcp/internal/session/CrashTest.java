package io.hirundo.checkpointdcp.internal.session;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.CheckpointException;
import io.hirundo.checkpoint.CheckpointInfo;
import io.hirundo.checkpoint.PendingSave;
import io.hirundo.checkpointdcp.internal.fixture.CrashingDisk;
import io.hirundo.checkpointdcp.internal.fixture.QuickDisk;
import io.hirundo.checkpointdcp.internal.fixture.States;
import io.hirundo.checkpointdcp.internal.fixture.ThreadWorld;
import io.hirundo.checkpointdcp.internal.fixture.Way;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** A save that is cut off, or fails, at each of its operations on the disk. */
class CrashTest {
    /** Two checkpoints, of which each case has a copy: saving them again would take most of its time. */
    @TempDir
    static Path twoSaved;

    @TempDir
    Path folder;

    @BeforeAll
    static void saveTwo() {
        try (var session = States.open(twoSaved, ThreadWorld.alone(), 2, new QuickDisk())) {
            session.save(States.state(1, 11)).awaitDurable();
            session.save(States.state(2, 22)).awaitDurable();
        }
    }

    private static void copyTwo(Path directory) throws IOException {
        try (Stream<Path> entries = Files.walk(twoSaved)) {
            for (Path entry : entries.toList()) {
                Files.copy(entry, directory.resolve(twoSaved.relativize(entry)));
            }
        }
    }

    /** {@code step}: 3, a new one, or 2, which is there already. */
    @ParameterizedTest
    @CsvSource({
        "SYNC,3,0.0,1", "SYNC,3,1.0,1", "SYNC,3,0.5,3", "SYNC,2,0.0,1", "SYNC,2,1.0,1", "SYNC,2,0.5,3", "SYNC,1,0.5,1",
        "ASYNC,3,0.0,1", "ASYNC,3,1.0,1", "ASYNC,3,0.5,2", "ASYNC,2,0.0,1", "ASYNC,2,1.0,1", "ASYNC,2,0.5,1",
                "ASYNC,1,0.5,1"
    })
    void afterACrashAtAnyOperationAWholeCheckpointIsThere(Way way, long step, double lost, int rounds)
            throws IOException {
        int operations = 0;
        for (int round = 0; round < rounds; round++) {
            boolean finished = false;
            for (operations = 0; !finished; operations++) {
                Path directory = folder.resolve(round + "-" + operations);
                copyTwo(directory);
                var disk = new CrashingDisk(operations);
                PendingSave save;
                try (var session = way.open(directory, ThreadWorld.alone(), 2, disk)) {
                    save = session.save(States.state(step, 33));
                }
                finished = !disk.isDown();
                boolean promised = save.isDurable();
                disk.lose(lost, new Random(1000 * round + operations));
                assertRecovers(directory, step, promised);
            }
        }
        assertTrue(operations > 25, "operations " + operations);
    }

    /** {@code promised}: whether the save said that it was durable. */
    private static void assertRecovers(Path directory, long step, boolean promised) throws IOException {
        try (var session = States.open(directory, ThreadWorld.alone(), 2, new QuickDisk())) {
            List<CheckpointInfo> found = session.list();
            boolean isNew = false;
            boolean isSecond = false;
            for (CheckpointInfo checkpoint : found) {
                long seed = (long) session.values(checkpoint).get("seed");
                States.assertLoads(session, checkpoint, seed);
                isNew |= seed == 33;
                isSecond |= seed == 22;
            }
            assertTrue(isNew || !promised);
            // The former one of the same step goes when the new one is safe; those of other steps are within what is
            // kept.
            assertTrue(isSecond || (isNew && step == 2), () -> "found " + found);
            String latest = Files.readString(directory.resolve("latest")).strip();
            assertTrue(found.stream().anyMatch(info -> info.path().endsWith(latest)), () -> latest + " of " + found);
            assertEquals(found.size(), foldersIn(directory), "folders that look like checkpoints and are not whole");
            assertClean(directory);
            session.save(States.state(4, 44)).awaitDurable();
            States.assertLoads(session, session.list().getFirst(), 44);
            assertEquals(2, session.list().size());
        }
    }

    private static long foldersIn(Path directory) throws IOException {
        try (Stream<Path> entries = Files.list(directory)) {
            return entries.filter(entry -> entry.getFileName().toString().startsWith("step-"))
                    .count();
        }
    }

    private static void assertClean(Path directory) throws IOException {
        try (Stream<Path> entries = Files.list(directory)) {
            entries.map(entry -> entry.getFileName().toString())
                    .forEach(name -> assertTrue(name.equals("latest") || name.matches("step-\\d{8}(\\.r1)?"), name));
        }
    }

    @ParameterizedTest
    @EnumSource
    void interruptedFirstSaveLeavesNoCheckpoint(Way way) throws IOException {
        boolean finished = false;
        for (int operations = 0; !finished; operations++) {
            Path directory = folder.resolve("first-" + operations);
            var disk = new CrashingDisk(operations);
            PendingSave save;
            try (var session = way.open(directory, ThreadWorld.alone(), 2, disk)) {
                save = session.save(States.state(1, 33));
            }
            finished = !disk.isDown();
            disk.lose(0.5, new Random(operations));
            try (var session = States.open(directory, ThreadWorld.alone(), 2, new QuickDisk())) {
                assertFalse(save.isDurable() && session.list().isEmpty());
                session.list().forEach(info -> States.assertLoads(session, info, 33));
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void errorAtAnyOperationKeepsEarlierCheckpoints(Way way) throws IOException {
        int failed = 0;
        boolean reached = true;
        for (int operation = 0; reached; operation++) {
            Path directory = folder.resolve("failing-" + operation);
            copyTwo(directory);
            var disk = new FailingDisk(operation);
            try (var session = way.open(directory, ThreadWorld.alone(), 2, disk)) {
                PendingSave save = session.save(States.state(3, 33));
                try {
                    States.assertLoads(session, save.awaitDurable(), 33);
                } catch (CheckpointException e) {
                    failed++;
                    assertTrue(e.getMessage().contains(directory.toString()), e.getMessage());
                    assertTrue(e.getMessage().contains("No space left on device"), e.getMessage());
                    try (Stream<Path> entries = Files.list(directory)) {
                        assertEquals(
                                0,
                                entries.filter(entry -> entry.toString().contains(".tmp-"))
                                        .count());
                    }
                }
                reached = disk.hasFailed;
                disk.mend();
                session.list().forEach(info -> States.assertLoads(session, info, 11 * info.step()));
                assertTrue(session.list().stream().anyMatch(info -> info.step() == 2));
                session.save(States.state(4, 44)).awaitDurable();
                assertEquals(
                        List.of(4L),
                        session.list().stream()
                                .limit(1)
                                .map(CheckpointInfo::step)
                                .toList());
                assertEquals(2, session.list().size());
            }
        }
        assertNotEquals(0, failed);
    }

    /** One operation fails, once. */
    private static final class FailingDisk extends QuickDisk {
        private int left;
        private boolean hasFailed;

        FailingDisk(int operation) {
            this.left = operation;
        }

        void mend() {
            left = -1;
        }

        @Override
        public void step() throws IOException {
            if (left-- == 0) {
                hasFailed = true;
                throw new IOException("No space left on device");
            }
        }

        @Override
        public void stepToWrite(Output output, ByteBuffer bytes, long position) throws IOException {
            if (left == 0) {
                // A short write: half is on the disk when it fails.
                output.write(bytes.duplicate().limit(bytes.position() + bytes.remaining() / 2), position);
            }
            step();
        }
    }
}
