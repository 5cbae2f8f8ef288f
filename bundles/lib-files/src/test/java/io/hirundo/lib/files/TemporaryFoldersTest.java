package io.hirundo.lib.files;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TemporaryFoldersTest {
    @TempDir
    private Path ofProcess;

    @AfterEach
    void clear() {
        System.clearProperty("hirundo.temporary");
    }

    @Test
    void createsFoldersForThisUserOnlyInProcessFolder() throws IOException {
        System.setProperty("hirundo.temporary", ofProcess.toString());
        Path folder = TemporaryFolders.create("trial-");
        assertEquals(ofProcess, folder.getParent());
        assertEquals("rwx------", PosixFilePermissions.toString(Files.getPosixFilePermissions(folder)));
    }

    @Test
    void usesJavaTmpdirWithoutLauncher() throws IOException {
        Path folder = TemporaryFolders.create("trial-");
        try {
            assertEquals(Path.of(System.getProperty("java.io.tmpdir")), folder.getParent());
            assertEquals("rwx------", PosixFilePermissions.toString(Files.getPosixFilePermissions(folder)));
        } finally {
            Files.delete(folder);
        }
    }

    /** The launcher reports the process's folder: one line for one cause. */
    @Test
    void leavesWhatCannotBeDeletedToLauncher() throws IOException {
        Path deep = ofProcess.resolve("trial");
        Path deepest = deep.resolve("d/".repeat(250));
        Files.createDirectories(deepest);
        assertThrows(IOException.class, () -> TemporaryFolders.delete(deep));
        System.setProperty("hirundo.temporary", ofProcess.toString());
        TemporaryFolders.delete(deep);
        assertTrue(Files.exists(deepest));
    }
}
