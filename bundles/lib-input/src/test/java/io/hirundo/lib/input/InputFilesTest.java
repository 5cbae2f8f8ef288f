package io.hirundo.lib.input;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class InputFilesTest {
    /** A pipe that is opened waits forever. */
    private static final Duration LIMIT = Duration.ofMinutes(1);

    @TempDir
    Path folder;

    @Test
    void readsRegularFilesUpToTheLimit() throws IOException {
        Path file = Files.write(folder.resolve("three"), new byte[] {1, 2, 3});
        assertArrayEquals(new byte[] {1, 2, 3}, InputFiles.readAllBytes(file, 3));
        assertArrayEquals(
                new byte[] {1, 2, 3},
                InputFiles.readAllBytes(Files.createSymbolicLink(folder.resolve("link"), file), 3));
        FileTooLargeException tooLarge =
                assertThrows(FileTooLargeException.class, () -> InputFiles.readAllBytes(file, 2));
        assertEquals(file + " is larger than 2 bytes, the limit for such a file", tooLarge.getMessage());
    }

    @Test
    void rejectsNamedPipesBeforeOpeningThem() throws Exception {
        Path pipe = folder.resolve("pipe");
        assertEquals(0, new ProcessBuilder("mkfifo", pipe.toString()).start().waitFor());
        IrregularFileException rejected = assertTimeoutPreemptively(
                LIMIT, () -> assertThrows(IrregularFileException.class, () -> InputFiles.readAllBytes(pipe, 10)));
        assertEquals(pipe + " is a named pipe, not a regular file", rejected.getMessage());
    }

    @Test
    void rejectsDevicesAndFolders() {
        assertEquals(
                "/dev/zero is a device, not a regular file",
                assertThrows(IrregularFileException.class, () -> InputFiles.requireRegular(Path.of("/dev/zero")))
                        .getMessage());
        assertEquals(
                folder + " is a folder, not a regular file",
                assertThrows(IrregularFileException.class, () -> InputFiles.requireRegular(folder))
                        .getMessage());
    }

    @Test
    void rejectsLinkLoops() throws IOException {
        Path link = Files.createSymbolicLink(folder.resolve("loop"), Path.of("loop"));
        assertEquals(
                link + " is a symbolic link that leads to itself, not a regular file",
                assertThrows(IrregularFileException.class, () -> InputFiles.requireRegular(link))
                        .getMessage());
        Path dangling = Files.createSymbolicLink(folder.resolve("dangling"), folder.resolve("none"));
        assertThrows(NoSuchFileException.class, () -> InputFiles.requireRegular(dangling));
    }

    @Test
    void reportsMissingFiles() {
        assertThrows(NoSuchFileException.class, () -> InputFiles.requireRegular(folder.resolve("none")));
    }

    @Test
    void boundsFilesThatReportNoSize() throws IOException {
        Path status = Path.of("/proc/self/status");
        assertEquals(0, Files.size(status));
        assertThrows(FileTooLargeException.class, () -> InputFiles.readString(status, 10));
    }
}
