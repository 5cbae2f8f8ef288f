package io.hirundo.lib.files;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.lib.input.IrregularFileException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class AtomicFileTest {
    @TempDir
    Path folder;

    @Test
    void replacesFileAndLeavesNoPart() throws IOException {
        Path file = Files.writeString(folder.resolve("page"), "old");
        Files.writeString(folder.resolve("page.part"), "of a process that was killed");
        AtomicFile.write(file, new byte[] {1, 2, 3});
        assertArrayEquals(new byte[] {1, 2, 3}, Files.readAllBytes(file));
        assertEquals(1, names());
    }

    @Test
    void sharedWritersDoNotUseEachOthersParts() throws IOException {
        Path file = folder.resolve("cached");
        AtomicFile.writeShared(file, outer -> {
            AtomicFile.writeShared(file, inner -> inner.write(7));
            assertArrayEquals(new byte[] {7}, Files.readAllBytes(file));
            outer.write(7);
        });
        assertArrayEquals(new byte[] {7}, Files.readAllBytes(file));
        assertEquals(1, names());
    }

    @Test
    void sharedWriterThatFailsLeavesNothing() throws IOException {
        Path file = Files.writeString(folder.resolve("cached"), "old");
        assertThrows(
                IOException.class,
                () -> AtomicFile.writeShared(file, out -> {
                    out.write(7);
                    throw new IOException("no room");
                }));
        assertEquals("old", Files.readString(file));
        assertEquals(1, names());
    }

    @Test
    void neverWritesThroughALink() throws IOException {
        Path victim = Files.writeString(folder.resolve("victim"), "precious");
        Path file = Files.createSymbolicLink(folder.resolve("page"), victim);
        Files.createSymbolicLink(folder.resolve("page.part"), victim);
        AtomicFile.write(file, new byte[] {1});
        assertEquals("precious", Files.readString(victim));
        assertTrue(Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS));
        assertEquals(2, names());
    }

    @Test
    void deletesPartOnFailure() throws IOException {
        Path file = Files.createDirectory(folder.resolve("page"));
        Files.writeString(file.resolve("contents"), "a folder with contents cannot be replaced");
        assertThrows(IOException.class, () -> AtomicFile.write(file, new byte[] {1}));
        assertFalse(Files.exists(folder.resolve("page.part")));
    }

    @Test
    void rejectsFolderAtPartPathAndKeepsIt() throws IOException {
        Path file = Files.writeString(folder.resolve("page"), "old");
        Path part = Files.createDirectory(folder.resolve("page.part"));
        Path notes = Files.writeString(part.resolve("notes"), "somebody's");
        assertThrows(IrregularFileException.class, () -> AtomicFile.requireWritable(file));
        assertThrows(IrregularFileException.class, () -> AtomicFile.write(file, new byte[] {1}));
        assertTrue(Files.exists(notes));
        assertEquals("old", Files.readString(file));
    }

    @Test
    void keepsOldContentsOnFailure() throws IOException {
        Path file = Files.writeString(folder.resolve("page"), "old");
        AtomicFile.Contents failing = out -> {
            out.write(1);
            throw new IOException("no more");
        };
        assertThrows(IOException.class, () -> AtomicFile.write(file, failing));
        assertEquals("old", Files.readString(file));
        assertEquals(1, names());
    }

    @Test
    void setsPermissionsOfNewFile() throws IOException {
        Path file = Files.writeString(folder.resolve("page"), "old");
        AtomicFile.write(
                file,
                new byte[] {1},
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
        assertEquals("rw-------", PosixFilePermissions.toString(Files.getPosixFilePermissions(file)));
    }

    private long names() throws IOException {
        try (Stream<Path> names = Files.list(folder)) {
            return names.count();
        }
    }
}
