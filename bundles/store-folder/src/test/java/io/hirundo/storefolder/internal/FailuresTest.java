package io.hirundo.storefolder.internal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.CheckpointException;
import io.hirundo.StorageException;
import io.hirundo.StoreException;
import io.hirundo.checkpoint.CheckpointInfo;
import io.hirundo.checkpoint.StoredCheckpoint;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Whose fault it is that something fails: the copy's, the store's, or that of the disk here. */
class FailuresTest {
    @TempDir
    private Path root;

    private FolderSession session;
    private StoredCheckpoint copy;

    @BeforeEach
    void put() throws IOException {
        Path folder = Files.createDirectories(root.resolve("checkpoints/step-5"));
        Files.writeString(folder.resolve("data"), "of step 5");
        session = new FolderSession(root, "run");
        session.put(new CheckpointInfo(folder, 5, 9), done -> {});
        copy = session.list().getFirst();
    }

    @AfterEach
    void close() {
        session.close();
    }

    @Test
    void fullLocalDiskIsNoDamageOfTheCopy() throws IOException {
        Path noFolder = Files.createFile(root.resolve("no-folder"));
        var failure = assertThrows(StorageException.class, () -> session.get(copy, noFolder, done -> {}));
        assertTrue(failure.getMessage().startsWith(noFolder + " cannot be written: "), failure.getMessage());
    }

    @Test
    void unreadableStoreIsNoDamageOfTheCopy() throws IOException {
        Path data;
        try (var below = Files.walk(root.resolve("run"))) {
            data = below.filter(file -> file.endsWith("data")).findFirst().orElseThrow();
        }
        Files.delete(data);
        Files.createDirectory(data);
        Path into = Files.createDirectory(root.resolve("fetched"));
        assertThrows(StoreException.class, () -> session.get(copy, into, done -> {}));
    }

    /** The mount point is still there, and empty. */
    @Test
    void unmountedDiskIsNoDamageOfTheCopy() throws IOException {
        Path run = root.resolve("run");
        Path into = Files.createDirectory(root.resolve("fetched"));
        Files.move(run, root.resolve("unmounted"));
        assertThrows(StoreException.class, () -> session.get(copy, into, done -> {}));
        assertThrows(StoreException.class, () -> session.delete(copy));
        Files.createDirectory(run);
        assertThrows(
                CheckpointException.class, () -> session.get(copy, into, done -> {}), "this copy alone is missing");
    }

    @Test
    void listsTheOtherCopiesIfOneIsDeletedMeanwhile() throws IOException {
        Path gone = root.resolve("run").resolve("step-6.index");
        Files.createSymbolicLink(gone, root.resolve("nowhere"));
        assertEquals(List.of(copy), session.list());
    }

    @Test
    void interruptIsNoDamageOfTheCopy() throws IOException {
        Path into = Files.createDirectory(root.resolve("fetched"));
        Thread.currentThread().interrupt();
        try {
            assertThrows(StoreException.class, () -> session.get(copy, into, done -> {}));
        } finally {
            Thread.interrupted();
        }
    }
}
