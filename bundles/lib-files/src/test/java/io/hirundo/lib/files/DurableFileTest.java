package io.hirundo.lib.files;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DurableFileTest {
    @TempDir
    Path folder;

    @Test
    void fillsANewFileWithZeros() throws IOException {
        Path file = folder.resolve("weights");
        DurableFile.create(file, new byte[] {1, 2}, 5);
        assertArrayEquals(new byte[] {1, 2, 0, 0, 0}, Files.readAllBytes(file));
    }

    @Test
    void doesNotReplaceAFile() throws IOException {
        Path file = Files.writeString(folder.resolve("weights"), "precious");
        assertThrows(FileAlreadyExistsException.class, () -> DurableFile.write(file, new byte[] {1}));
        assertEquals("precious", Files.readString(file));
    }

    @Test
    void writesWhatRemainsAtAPosition() throws IOException {
        Path file = folder.resolve("weights");
        DurableFile.write(file, new byte[] {0, 0, 0, 0});
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
            ByteBuffer bytes = ByteBuffer.wrap(new byte[] {9, 5, 6}).position(1);
            DurableFile.writeFully(channel, bytes, 2);
            assertEquals(0, bytes.remaining());
            DurableFile.writeFully(channel, MemorySegment.ofArray(new byte[] {3}), 1);
            channel.position(4);
            DurableFile.writeFully(channel, ByteBuffer.wrap(new byte[] {8}));
        }
        assertArrayEquals(new byte[] {0, 3, 5, 6, 8}, Files.readAllBytes(file));
    }
}
