package io.hirundo.lib.output;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

class OutputFilesTest {
    @TempDir
    private Path folder;

    @Test
    void acceptsExistingAndCreatableFiles() throws IOException {
        OutputFiles.requireFile(Files.writeString(folder.resolve("there"), "x"));
        OutputFiles.requireFile(folder.resolve("a").resolve("b").resolve("new"));
        OutputFiles.requireFile(Path.of("relative"));
        OutputFiles.requireFile(Files.createSymbolicLink(folder.resolve("link"), folder.resolve("there")));
        OutputFiles.requireFolder(folder);
        OutputFiles.requireFolder(folder.resolve("a").resolve("b"));
        try (Stream<Path> entries = Files.list(folder)) {
            assertEquals(
                    List.of("link", "there"),
                    entries.map(entry -> entry.getFileName().toString())
                            .sorted()
                            .toList());
        }
    }

    @Test
    void requireFileInFolderRejectsMissingFolder() throws IOException {
        OutputFiles.requireFileInFolder(folder.resolve("new"));
        OutputFiles.requireFileInFolder(Path.of("relative"));
        Path file = folder.resolve("a").resolve("new");
        var failure = assertThrows(IOException.class, () -> OutputFiles.requireFileInFolder(file));
        assertEquals(
                file + ": there is no folder for it; make " + file.getParent(), OutputFiles.explain(file, failure));
    }

    @Test
    void rejectsFoldersAndDanglingLinks() throws IOException {
        Path file = Files.createDirectory(folder.resolve("out"));
        assertEquals(file + ": it is a folder, not a regular file; remove it or choose another path", rejection(file));
        Path link = Files.createSymbolicLink(folder.resolve("link"), folder.resolve("nothing"));
        assertEquals(link + ": it is a symbolic link to nothing; remove it or choose another path", rejection(link));
        Path below = link.resolve("x");
        assertEquals(
                below + ": " + link + " is a symbolic link to nothing; remove it or choose another path",
                rejection(below));
        Path notes = Files.writeString(folder.resolve("notes"), "x");
        Path inFile = notes.resolve("a").resolve("b");
        assertEquals(
                inFile + ": " + notes + " is a file, not a folder; remove it or choose another path",
                rejection(inFile));
    }

    @Test
    @EnabledOnOs(OS.LINUX)
    void rejectsPipesAndDevicesWithoutOpeningThem() throws Exception {
        Path pipe = folder.resolve("pipe");
        assertEquals(
                0,
                new ProcessBuilder("mkfifo", pipe.toString())
                        .inheritIO()
                        .start()
                        .waitFor());
        assertEquals(
                pipe + ": it is a named pipe, not a regular file; remove it or choose another path", rejection(pipe));
        Path device = Path.of("/dev/null");
        assertEquals(
                device + ": it is a device, not a regular file; remove it or choose another path", rejection(device));
    }

    @Test
    void explainsFileSystemExceptions() {
        Path path = folder.resolve("out");
        String out = path.toString();
        assertEquals(
                out + ": there is no folder for it; make " + folder,
                OutputFiles.explain(path, new NoSuchFileException(out)));
        assertEquals(
                out + ": permission denied; change the permissions of " + out,
                OutputFiles.explain(path, new AccessDeniedException(out)));
        assertEquals(
                out + ": /x is in the way; remove it or choose another path",
                OutputFiles.explain(path, new FileAlreadyExistsException("/x")));
        assertEquals(
                out + ": No space left on device; make room or change its permissions",
                OutputFiles.explain(path, new FileSystemException(out, null, "No space left on device")));
        assertEquals(
                out + ": /x: Is a directory; make room or change its permissions",
                OutputFiles.explain(path, new FileSystemException("/x", null, "Is a directory")));
        assertEquals(
                out + ": No space left on device; make room or change its permissions",
                OutputFiles.explain(path, new IOException("No space left on device")));
    }

    private static String rejection(Path file) {
        IOException failure = assertThrows(IOException.class, () -> OutputFiles.requireFile(file));
        return OutputFiles.explain(file, failure);
    }
}
