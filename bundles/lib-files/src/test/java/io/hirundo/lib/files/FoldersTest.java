package io.hirundo.lib.files;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FoldersTest {
    @TempDir
    private Path folder;

    @Test
    void createsEachMissingFolderForThisUserOnly() throws IOException {
        Path existing = Files.createDirectory(folder.resolve("existing"));
        Files.setPosixFilePermissions(existing, PosixFilePermissions.fromString("rwxr-xr-x"));
        Path inner = existing.resolve("outer/inner");

        Folders.createPrivate(inner);
        Folders.createPrivate(inner);

        assertEquals("rwx------", mode(inner));
        assertEquals("rwx------", mode(inner.getParent()));
        assertEquals("rwxr-xr-x", mode(existing));
    }

    private static String mode(Path folder) throws IOException {
        return PosixFilePermissions.toString(Files.getPosixFilePermissions(folder));
    }
}
