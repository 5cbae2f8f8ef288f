package io.hirundo.lib.engine.tensors;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.DataException;
import io.hirundo.lib.engine.tensors.HostCopies.HostFloats;
import io.hirundo.model.parameter.ParameterPart;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Shape;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class FiniteWeightsTest {
    private static final long ROWS = 7;
    private static final long COLUMNS = 13;

    @ParameterizedTest
    @EnumSource(names = {"FP32", "FP64", "BF16"})
    void findsEveryNonFiniteElement(DType dtype) {
        ParameterPart whole = ParameterPart.whole("w", Shape.of(ROWS, COLUMNS));
        try (Arena arena = Arena.ofConfined()) {
            var host = new HostFloats(arena.allocate(whole.shape().byteSize(dtype), 64), dtype);
            var random = new Random(9);
            for (long index = 0; index < ROWS * COLUMNS; index++) {
                // Finite values of every kind: the largest, subnormal ones, negative zero.
                put(
                        host,
                        index,
                        switch ((int) (index % 4)) {
                            case 0 -> Float.MAX_VALUE * 0.99;
                            case 1 -> -Float.MIN_NORMAL;
                            case 2 -> -0.0;
                            default -> random.nextGaussian();
                        });
            }
            assertDoesNotThrow(() -> FiniteWeights.require("here", whole, host));
            for (long index = 0; index < ROWS * COLUMNS; index++) {
                for (double wrong : new double[] {Double.NaN, Double.POSITIVE_INFINITY, Double.NEGATIVE_INFINITY}) {
                    put(host, index, wrong);
                    String message = assertThrows(DataException.class, () -> FiniteWeights.require("here", whole, host))
                            .getMessage();
                    assertTrue(
                            message.contains("tensor 'w' holds " + (Double.isNaN(wrong) ? "NaN" : "an infinite value")),
                            message);
                    assertTrue(message.contains("at " + List.of(index / COLUMNS, index % COLUMNS)), message);
                }
                put(host, index, 1);
            }
        }
    }

    private static void put(HostFloats host, long index, double value) {
        MemorySegment memory = host.memory();
        switch (host.dtype()) {
            case FP32 -> memory.setAtIndex(ValueLayout.JAVA_FLOAT, index, (float) value);
            case FP64 -> memory.setAtIndex(ValueLayout.JAVA_DOUBLE, index, value);
            default ->
                memory.setAtIndex(
                        ValueLayout.JAVA_SHORT, index, (short) (Float.floatToRawIntBits((float) value) >>> 16));
        }
    }
}
