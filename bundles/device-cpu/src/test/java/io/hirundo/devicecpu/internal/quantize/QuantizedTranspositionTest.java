package io.hirundo.devicecpu.internal.quantize;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.hirundo.devicecpu.internal.memory.Memory;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class QuantizedTranspositionTest {
    private static final int EXTENT = QuantizedTransposition.EXTENT;

    /** Complete squares of 32, none, and remainders; nothing else is written to. */
    @ParameterizedTest
    @CsvSource({"128, 128", "32, 32", "31, 128", "128, 31", "97, 70", "1, 1"})
    void everyByte(int rows, int columns) {
        try (Arena arena = Arena.ofConfined()) {
            int fromBytes = EXTENT + 3;
            int toBytes = EXTENT + 5;
            MemorySegment from = arena.allocate(EXTENT * (long) fromBytes);
            MemorySegment to = arena.allocate(EXTENT * (long) toBytes);
            MemorySegment fours = arena.allocate(QuantizedTransposition.FOURS_BYTES, 64);
            for (int i = 0; i < from.byteSize(); i++) {
                Memory.setByte(from.address() + i, (byte) (i * 31 + i / 256 + 1));
            }
            to.fill((byte) -9);
            QuantizedTransposition.tile(
                    from.address(), fromBytes, rows, columns, to.address(), toBytes, fours.address());
            for (int c = 0; c < EXTENT; c++) {
                for (int r = 0; r < toBytes; r++) {
                    byte expected = c < columns && r < rows ? Memory.getByte(from.address() + r * fromBytes + c) : -9;
                    byte found = Memory.getByte(to.address() + c * toBytes + r);
                    if (expected != found) {
                        assertEquals(expected, found, "column " + c + ", row " + r);
                    }
                }
            }
        }
    }
}
