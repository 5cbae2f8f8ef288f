package io.hirundo.lib.output;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.lib.input.IrregularFileException;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class OutputChannelsTest {
    @TempDir
    private Path folder;

    private static void put(FileChannel channel, String text) throws IOException {
        channel.write(StandardCharsets.UTF_8.encode(text));
    }

    @Test
    void appendsAndCreatesWithTheGivenPermissions() throws IOException {
        Path file = folder.resolve("log");
        var owner = PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"));
        for (String line : new String[] {"a", "b"}) {
            try (FileChannel channel = OutputChannels.append(file, owner)) {
                put(channel, line);
            }
        }
        assertEquals("ab", Files.readString(file));
        assertEquals("rw-------", PosixFilePermissions.toString(Files.getPosixFilePermissions(file)));
    }

    @Test
    void writesFromTheBeginningAndTruncatesOnRequestOnly() throws IOException {
        Path file = Files.writeString(folder.resolve("data"), "1234");
        try (FileChannel channel = OutputChannels.write(file)) {
            put(channel, "x");
        }
        assertEquals("x234", Files.readString(file));
        try (FileChannel channel = OutputChannels.write(file, StandardOpenOption.TRUNCATE_EXISTING)) {
            put(channel, "y");
        }
        assertEquals("y", Files.readString(file));
    }

    @Test
    void neverWritesThroughALink() throws IOException {
        Path victim = Files.writeString(folder.resolve("victim"), "precious");
        for (Path target : new Path[] {victim, folder.resolve("nothing")}) {
            Path link = Files.createSymbolicLink(folder.resolve("log"), target);
            var append = assertThrows(UnwritableException.class, () -> OutputChannels.append(link));
            assertThrows(
                    UnwritableException.class, () -> OutputChannels.write(link, StandardOpenOption.TRUNCATE_EXISTING));
            assertEquals(
                    link
                            + ": it is a symbolic link, which Hirundo does not write through; remove it or choose another path",
                    OutputFiles.explain(link, append));
            Files.delete(link);
        }
        assertEquals("precious", Files.readString(victim));
        assertTrue(Files.notExists(folder.resolve("nothing")));
    }

    @Test
    void rejectsAFolder() throws IOException {
        Path place = Files.createDirectory(folder.resolve("log"));
        assertThrows(IrregularFileException.class, () -> OutputChannels.append(place));
    }
}
