package io.hirundo.trainer.internal.copy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.CheckpointException;
import io.hirundo.ExitCode;
import io.hirundo.StorageException;
import io.hirundo.StoreException;
import io.hirundo.checkpoint.CheckpointInfo;
import io.hirundo.checkpoint.FoundCheckpoint;
import io.hirundo.checkpoint.StoreSession;
import io.hirundo.checkpoint.StoredCheckpoint;
import io.hirundo.event.CheckpointEvent.CheckpointFetched;
import io.hirundo.storefolder.internal.FolderFactory;
import io.hirundo.storefolder.internal.FolderOptions;
import io.hirundo.testkit.checkpoint.ForwardingStoreSession;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.LongConsumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CopyFetchTest {
    @TempDir
    private Path folder;

    private StoreSession session;
    private Path run;
    private Path checkpoints;

    @BeforeEach
    void copy() throws IOException {
        session = new FolderFactory()
                .create(new FolderOptions(
                        Files.createDirectory(folder.resolve("away")).toString()))
                .open("run");
        for (long step : List.of(1, 2)) {
            session.put(checkpoint(folder.resolve("before"), step, "of step " + step), done -> {});
        }
        run = Files.createDirectory(folder.resolve("run"));
        checkpoints = run.resolve("checkpoints");
    }

    @AfterEach
    void close() {
        session.close();
    }

    private static CheckpointInfo checkpoint(Path folder, long step, String contents) throws IOException {
        Path path = Files.createDirectories(folder.resolve("step-" + step));
        Files.writeString(path.resolve("data"), contents);
        return new CheckpointInfo(path, step, contents.length());
    }

    private CopyFetch fetch() {
        return new CopyFetch(session, run, checkpoints, CopyFetch.CommandHints.RESUME);
    }

    private static CheckpointFetched only(FetchResult fetched) {
        assertEquals(List.of(), fetched.passedOver());
        return fetched.copy().orElseThrow();
    }

    private void damage(long step) throws IOException {
        try (Stream<Path> files = Files.walk(folder.resolve("away"))) {
            Path data = files.filter(
                            file -> file.getParent().getFileName().toString().startsWith("step-" + step + "."))
                    .findFirst()
                    .orElseThrow();
            byte[] bytes = Files.readAllBytes(data);
            bytes[0] ^= 1;
            Files.write(data, bytes);
        }
    }

    @Test
    void fetchesTheNewestAndLeavesNothingElse() throws IOException {
        Files.createDirectories(run.resolve("fetching/step-2/left-by-a-crash"));
        assertEquals(2, only(fetch().fetch(List.of(), false)).step());
        assertEquals("of step 2", Files.readString(checkpoints.resolve("step-2/data")));
        try (Stream<Path> all = Files.walk(run)) {
            assertEquals(4, all.count());
        }
    }

    @Test
    void fetchesNothingIfTheRunHasTheStep() throws IOException {
        var here = new FoundCheckpoint(checkpoint(checkpoints, 2, "here"), "");
        assertEquals(FetchResult.NOTHING, fetch().fetch(List.of(here), false));
    }

    @Test
    void fetchesDespiteANewerCheckpointInMemory() throws IOException {
        var manifest = checkpoint(checkpoints.resolve("memory"), 9, "a manifest");
        var inMemory = new CheckpointInfo(manifest.path(), manifest.step(), manifest.bytes(), true);
        assertEquals(
                2,
                only(fetch().fetch(List.of(new FoundCheckpoint(inMemory, "")), false))
                        .step());
    }

    @Test
    void movesADamagedLocalCheckpointAsideAndFetches() throws IOException {
        var here = new FoundCheckpoint(checkpoint(checkpoints, 2, "damaged"), "it is cut off");
        assertEquals(
                checkpoints.resolve("step-2"),
                only(fetch().fetch(List.of(here), false)).path());
        assertEquals("of step 2", Files.readString(checkpoints.resolve("step-2/data")));
        assertEquals("damaged", Files.readString(run.resolve("damaged/step-2/data")));
    }

    @Test
    void deletesNothingBehindALinkInPlaceOfTheFolderOfDamagedOnes() throws IOException {
        Path foreign = checkpoint(folder.resolve("foreign"), 2, "precious").path();
        Path link = Files.createSymbolicLink(run.resolve("damaged"), foreign.getParent());
        var here = new FoundCheckpoint(checkpoint(checkpoints, 2, "damaged"), "it is cut off");
        var failure = assertThrows(StorageException.class, () -> fetch().fetch(List.of(here), false));
        assertTrue(
                failure.getMessage().startsWith("cannot write to " + run + ": " + link + ": is a symbolic link"),
                failure.getMessage());
        assertEquals("precious", Files.readString(foreign.resolve("data")));
        assertEquals("damaged", Files.readString(checkpoints.resolve("step-2/data")));
    }

    @Test
    void rejectsOrSkipsADamagedCopy() throws IOException {
        damage(2);
        var failure = assertThrows(CheckpointException.class, () -> fetch().fetch(List.of(), false));
        assertTrue(
                failure.getMessage()
                        .startsWith("--resume: step 2 cannot be fetched from " + folder.resolve("away/run")),
                failure.getMessage());
        assertTrue(
                failure.getMessage().contains("checksum is wrong; add --set checkpoint.onDamage=previous"),
                failure.getMessage());
        assertFalse(Files.exists(checkpoints.resolve("step-2")), "partly fetched");
        assertFalse(Files.exists(run.resolve("fetching")), "partial files");

        FetchResult fetched = fetch().fetch(List.of(), true);
        FetchResult.PassedOver passedOver = fetched.passedOver().getFirst();
        assertEquals(checkpoints.resolve("step-2"), passedOver.path());
        assertTrue(
                passedOver.reason().startsWith("its copy in " + folder.resolve("away/run") + ": "),
                passedOver.reason());
        assertEquals(1, fetched.copy().orElseThrow().step());
    }

    @Test
    void namesTheNewestCopyIfAllAreDamaged() throws IOException {
        damage(1);
        damage(2);
        var failure = assertThrows(CheckpointException.class, () -> fetch().fetch(List.of(), true));
        assertTrue(failure.getMessage().contains("there is no good checkpoint here; step 2: "), failure.getMessage());
        var here = new FoundCheckpoint(checkpoint(checkpoints, 0, "here"), "");
        assertEquals(2, fetch().fetch(List.of(here), true).passedOver().size());
    }

    @Test
    void doesNotTreatAnUnreachableStoreAsDamage() {
        var lost = new ForwardingStoreSession(session) {
            @Override
            public void get(StoredCheckpoint copy, Path into, LongConsumer doneBytes) {
                throw new StoreException("connection reset");
            }
        };
        var failure = assertThrows(
                StoreException.class,
                () -> new CopyFetch(lost, run, checkpoints, CopyFetch.CommandHints.RESUME).fetch(List.of(), true));
        assertEquals(ExitCode.CHECKPOINT, failure.exitCode());
        assertTrue(
                failure.getMessage().contains("connection reset; try again, or add --set checkpoint.store=null"),
                failure.getMessage());
        assertFalse(Files.exists(run.resolve("fetching")));
    }
}
