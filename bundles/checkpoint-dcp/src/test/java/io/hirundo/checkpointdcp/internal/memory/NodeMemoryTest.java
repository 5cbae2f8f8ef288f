package io.hirundo.checkpointdcp.internal.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.hirundo.checkpointdcp.internal.disk.DiskOperations;
import io.hirundo.checkpointdcp.internal.disk.FileOperations;
import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class NodeMemoryTest {
    private static final String ID = "0123456789abcdef";

    @TempDir
    private Path folder;

    private final FileOperations files = new DiskOperations();

    private NodeMemory memory() {
        return new NodeMemory(folder, Path.of("runs", "tiny", "checkpoints"), files);
    }

    @Test
    void foldersArePrivateToTheUser() throws IOException {
        NodeMemory memory = memory();
        Path file = memory.file(0, ID, 1);
        NodeMemory.createFolderFor(file, files);
        assertTrue(Files.isDirectory(file.getParent()));
        assertEquals("rwx------", PosixFilePermissions.toString(Files.getPosixFilePermissions(memory.root())));
    }

    /** Whoever owns the folder of the run could replace what is restored from it. */
    @Test
    void rejectsAFolderOfAnotherUser() throws IOException {
        assumeTrue(System.getProperty("user.name").equals("root"), "only root can give a folder to another user");
        NodeMemory memory = memory();
        Files.createDirectory(memory.root());
        Files.setAttribute(memory.root(), "unix:uid", 65534);
        String rejection = memory.root() + ": belongs to another user; remove it, or give another memory.directory";
        assertEquals(
                rejection,
                assertThrows(FileSystemException.class, () -> NodeMemory.createFolderFor(memory.file(0, ID, 1), files))
                        .getMessage());
        assertEquals(
                rejection,
                assertThrows(FileSystemException.class, () -> memory.createFolder(0, ID))
                        .getMessage());
    }
}
