package io.hirundo.checkpointdcp.internal.disk;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.sun.nio.file.ExtendedOpenOption;
import io.hirundo.checkpointdcp.internal.format.DataFile;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What is written is in the file, whichever way it went. */
final class DiskOutputTest {
    private static final int BLOCK_BYTES = DataFile.ALIGNMENT_BYTES;
    private static final int LARGE_BYTES = DiskOutput.LEAST_DIRECT_BYTES;

    @TempDir
    private Path folder;

    private Path file;

    @BeforeEach
    void nameFile() {
        file = folder.resolve("file");
    }

    @ParameterizedTest
    @CsvSource({
        "0, 0, 0", // all blocks are whole
        "0, 0, 123", // the end is not
        "1, 0, 123", // memory is not aligned
        "0, 7, 0", // the place is not
        "4096, 4096, 4095"
    })
    void whateverIsNotAlignedIsWrittenToo(int memoryOffset, int position, int tailBytes) throws IOException {
        byte[] values = values(2 * LARGE_BYTES + tailBytes);
        try (Arena arena = Arena.ofConfined();
                var output = DiskOutput.create(file, (path, why) -> {})) {
            int half = LARGE_BYTES;
            output.write(
                    aligned(arena, memoryOffset, Arrays.copyOfRange(values, half, values.length)), position + half);
            ByteBuffer first = aligned(arena, memoryOffset, Arrays.copyOf(values, half));
            output.write(first, position);
            assertFalse(first.hasRemaining());
            output.sync();
        }
        byte[] found = Files.readAllBytes(file);
        assertEquals(position + values.length, found.length);
        assertArrayEquals(values, Arrays.copyOfRange(found, position, found.length));
    }

    @Test
    void largeWritesBypassThePageCacheIfTheFileSystemCan() throws IOException {
        assumeTrue(isDirectPossible(), "this folder's file system has no direct writes");
        try (Arena arena = Arena.ofConfined();
                var output = DiskOutput.create(file, (path, why) -> {})) {
            output.write(aligned(arena, 0, values(LARGE_BYTES - 1)), 0);
            assertFalse(output.isDirect(), "too small");
            output.write(ByteBuffer.wrap(values(LARGE_BYTES)), 0);
            assertFalse(output.isDirect(), "on the heap");
            output.write(aligned(arena, 0, values(LARGE_BYTES)), 0);
            assertTrue(output.isDirect());
        }
    }

    /** A file that is gone cannot be opened another way, as one cannot where the file system has no direct writes. */
    @Test
    void logsBufferedWritesOncePerSession() throws IOException {
        var told = new ArrayList<Path>();
        FileOperations session = new DiskOperations((path, why) -> told.add(path));
        try (Arena arena = Arena.ofConfined()) {
            for (String name : List.of("first", "second")) {
                try (var output = session.createFile(folder.resolve(name))) {
                    Files.delete(folder.resolve(name));
                    output.write(aligned(arena, 0, values(LARGE_BYTES)), 0);
                }
            }
        }
        assertEquals(List.of(folder.resolve("first")), told);
    }

    @Test
    void neverOverwritesAnExistingFile() throws IOException {
        Files.writeString(file, "mine");
        assertThrows(FileAlreadyExistsException.class, () -> DiskOutput.create(file, (path, why) -> {}));
        assertEquals("mine", Files.readString(file));
    }

    private boolean isDirectPossible() throws IOException {
        Path probe = folder.resolve("probe");
        try (var _ = FileChannel.open(
                probe, StandardOpenOption.CREATE, StandardOpenOption.WRITE, ExtendedOpenOption.DIRECT)) {
            return true;
        } catch (UnsupportedOperationException | IOException none) {
            return false;
        }
    }

    private static byte[] values(int count) {
        var values = new byte[count];
        new Random(count).nextBytes(values);
        return values;
    }

    private static ByteBuffer aligned(Arena arena, int offset, byte[] values) {
        MemorySegment memory =
                arena.allocate((long) offset + values.length, BLOCK_BYTES).asSlice(offset);
        return memory.copyFrom(MemorySegment.ofArray(values)).asByteBuffer();
    }
}
