package io.hirundo.lib.files;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DeletionTest {
    @TempDir
    private Path folder;

    private Path archive;

    @BeforeEach
    void makeArchive() throws IOException {
        archive = Files.createDirectory(folder.resolve("archive"));
        Files.writeString(archive.resolve("kept"), "kept");
    }

    private void assertArchiveIsKept() throws IOException {
        assertEquals("kept", Files.readString(archive.resolve("kept")));
    }

    private static boolean isThere(Path path) {
        return Files.exists(path, LinkOption.NOFOLLOW_LINKS);
    }

    @Test
    void deletesFolderWithContents() throws IOException {
        Path tree = Files.createDirectories(folder.resolve("a/b/c")).getParent().getParent();
        Files.writeString(tree.resolve("b/c/file"), "x");
        Files.writeString(tree.resolve("file"), "x");
        Deletion.delete(tree);
        assertFalse(isThere(tree));
        assertArchiveIsKept();
    }

    @Test
    void deletesLinkAndKeepsItsTarget() throws IOException {
        Path link = Files.createSymbolicLink(folder.resolve("link"), archive);
        Deletion.delete(link);
        assertFalse(isThere(link));
        assertArchiveIsKept();
    }

    @Test
    void deletesLinksInsideFolderAndKeepsTheirTargets() throws IOException {
        Path tree = Files.createDirectories(folder.resolve("a/b"));
        Files.createSymbolicLink(tree.resolve("folder"), archive);
        Files.createSymbolicLink(tree.resolve("file"), archive.resolve("kept"));
        Files.createSymbolicLink(tree.resolve("dangling"), folder.resolve("nowhere"));
        Deletion.delete(folder.resolve("a"));
        assertFalse(isThere(folder.resolve("a")));
        assertArchiveIsKept();
    }

    @Test
    void deletesDanglingLinkAndAcceptsMissingPath() throws IOException {
        Path link = Files.createSymbolicLink(folder.resolve("link"), folder.resolve("nowhere"));
        Deletion.delete(link);
        assertFalse(isThere(link));
        Deletion.delete(link);
    }

    @Test
    void doesNotFollowFolderThatIsReplacedByLinkMeanwhile() throws IOException {
        Path tree = Files.createDirectory(folder.resolve("tree"));
        Path inner = Files.createDirectory(tree.resolve("inner"));
        Files.writeString(inner.resolve("kept"), "of the tree");
        assertThrows(
                IOException.class,
                () -> Deletion.delete(tree, entry -> {
                    if (entry.endsWith("inner/kept")) {
                        Files.move(inner, folder.resolve("moved"));
                        Files.createSymbolicLink(inner, archive);
                    }
                }));
        assertArchiveIsKept();
        assertFalse(isThere(folder.resolve("moved/kept")), "the folder that was open is emptied");
    }

    @Test
    void reportsEachEntryBeforeDeletingIt() throws IOException {
        Path tree = Files.createDirectories(folder.resolve("tree/b")).getParent();
        Files.writeString(tree.resolve("a"), "x");
        Files.writeString(tree.resolve("b/c"), "x");
        List<String> seen = new ArrayList<>();
        Deletion.delete(tree, entry -> {
            assertTrue(isThere(entry));
            seen.add(folder.relativize(entry).toString());
        });
        assertEquals(List.of("tree/a", "tree/b/c", "tree/b", "tree"), seen);
    }

    @Test
    void rejectsFileSystemRootAndParent() {
        assertThrows(FileSystemException.class, () -> Deletion.delete(folder.getRoot()));
        assertThrows(FileSystemException.class, () -> Deletion.delete(folder.resolve("..")));
    }

    @Test
    void namesPathOfTooDeepTree() throws IOException {
        Path deep = folder.resolve("deep");
        Path at = deep;
        for (int level = 0; level < 250; level++) {
            at = at.resolve("d");
        }
        Files.createDirectories(at);
        var rejected = assertThrows(FileSystemException.class, () -> Deletion.delete(deep));
        assertTrue(rejected.getMessage().contains("more than 200 folders deep"), rejected.getMessage());
    }

    @Test
    void rejectsLinksToFolders() throws IOException {
        RealFolders.require(archive);
        Path link = Files.createSymbolicLink(folder.resolve("link"), archive);
        var rejected = assertThrows(FileSystemException.class, () -> RealFolders.require(link));
        assertTrue(rejected.getMessage().contains("is a symbolic link"), rejected.getMessage());
        assertThrows(FileSystemException.class, () -> RealFolders.require(archive.resolve("kept")));
    }
}
