package io.hirundo.checkpointdcp.internal.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.CheckpointException;
import io.hirundo.checkpoint.CheckpointInfo;
import io.hirundo.checkpoint.PendingSave;
import io.hirundo.checkpointdcp.internal.disk.FileOperations;
import io.hirundo.checkpointdcp.internal.fixture.CrashingDisk;
import io.hirundo.checkpointdcp.internal.fixture.Nodes;
import io.hirundo.checkpointdcp.internal.fixture.QuickDisk;
import io.hirundo.checkpointdcp.internal.fixture.States;
import io.hirundo.checkpointdcp.internal.fixture.ThreadWorld;
import io.hirundo.checkpointdcp.internal.session.DcpSession;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A save to memory that is cut off at each of its operations, behind one on storage and one in memory: the process is killed, and
 * nothing is lost that it had done; or the machine stops, and what was not synced is lost, all that is in memory for instance.
 */
class TieredCrashTest {
    @TempDir
    Path folder;

    @ParameterizedTest
    @ValueSource(doubles = {0.0, 0.5, 1.0})
    void crashKeepsEarlierCheckpoints(double lost) throws IOException {
        boolean isFinished = false;
        int operations;
        for (operations = 0; !isFinished; operations++) {
            Path directory = folder.resolve("run-" + operations);
            Path memory = Files.createDirectories(folder.resolve("memory-" + operations));
            try (var session = open(directory, memory, new QuickDisk())) {
                session.saveDurably(States.state(1, 11)).awaitDurable();
                session.save(States.state(2, 22)).awaitDurable();
            }
            var disk = new CrashingDisk(operations);
            PendingSave save;
            try (var session = open(directory, memory, disk)) {
                save = session.save(States.state(3, 33));
            }
            isFinished = !disk.isDown();
            disk.lose(lost, new Random(operations));
            try (var session = open(directory, memory, new QuickDisk())) {
                long step = loadNewest(session);
                boolean isKill = lost == 0;
                assertTrue(step >= (isKill ? 2 : 1), "step " + step + " after " + operations);
                assertTrue(!isKill || !save.isDurable() || step == 3);
                session.save(States.state(4, 44)).awaitDurable();
                assertEquals(4, loadNewest(session));
            }
            assertHoldsOne(memory);
        }
        assertTrue(operations > 15, "operations " + operations);
    }

    private static DcpSession open(Path directory, Path memory, FileOperations files) {
        return Nodes.open(directory, ThreadWorld.alone(), memory, 100, files);
    }

    private static long loadNewest(DcpSession session) {
        for (CheckpointInfo info : session.list()) {
            try {
                States.assertLoads(session, info, 11 * info.step());
                return info.step();
            } catch (CheckpointException damage) {
                assertTrue(info.isInMemory(), damage.getMessage());
            }
        }
        return 0;
    }

    private static void assertHoldsOne(Path memory) throws IOException {
        try (Stream<Path> files = Files.walk(memory)) {
            assertEquals(1, files.filter(Files::isRegularFile).count());
        }
    }
}
