package io.hirundo.checkpointdcp.internal.store;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.hirundo.checkpointdcp.internal.disk.DiskOperations;
import io.hirundo.checkpointdcp.internal.format.CheckpointName;
import io.hirundo.checkpointdcp.internal.format.Manifest;
import io.hirundo.checkpointdcp.internal.format.ManifestText;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Which manifests of checkpoints in memory are damaged, and which could not be read. */
class DiscardDamagedTest {
    private static final CheckpointName SAVED = new CheckpointName(4, 0);

    @TempDir
    private Path folder;

    private CheckpointStore store;

    @BeforeEach
    void make() throws IOException {
        store = new CheckpointStore(folder, new DiskOperations(), new ManifestText());
        for (long step : List.of(1, 2, 3, 4)) {
            Files.createDirectory(at(step));
        }
        Files.writeString(at(2).resolve(Manifest.FILE), "{");
        // A folder where a file should be is not found missing, and cannot be read.
        Files.createDirectory(at(3).resolve(Manifest.FILE));
        Files.writeString(at(4).resolve(Manifest.FILE), "{");
    }

    private Path at(long step) {
        return folder.resolve(new CheckpointName(step, 0).toString());
    }

    private List<Long> steps() throws IOException {
        return store.all().stream().map(found -> found.name().step()).toList();
    }

    @Test
    void deletesDamagedCheckpointsAndKeepsUnreadableOnes() throws IOException {
        store.discardDamaged(SAVED);
        assertEquals(List.of(4L, 3L), steps());
    }

    @Test
    void deletesNothingIfAManifestCannotBeRead() throws IOException {
        assertThrows(IOException.class, () -> store.idsInUse(SAVED, new Retention(1, 0)));
        Files.delete(at(3).resolve(Manifest.FILE));
        assertEquals(0, store.idsInUse(SAVED, new Retention(1, 0)).size());
    }

    @Test
    void deletesAllSuperfluousCheckpoints() throws IOException {
        store.discardAll();
        assertEquals(List.of(), steps());
    }
}
