package io.hirundo.kernel.attention;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.hirundo.tensor.DType;
import org.junit.jupiter.api.Test;

/** Expected values are computed by hand. */
class QueryGradientSumsTest {
    private static AttentionShape shape(int queries, int keys, int channels) {
        return new AttentionShape(2, queries, keys, new Heads(3, 1, channels), keys - queries);
    }

    @Test
    void countsTilesOfAllHeads() {
        assertEquals(2 * 3 * 2, QueryGradientSums.tiles(shape(65, 65, 64)));
        assertEquals(2 * 3, QueryGradientSums.tiles(shape(64, 900, 128)));
    }

    @Test
    void countsAccumulatorAndStateBytes() {
        assertEquals(128 + 12 * (64 * 64 * 4 + 128), QueryGradientSums.bytes(shape(65, 65, 64), DType.BF16));
        assertEquals(128 + 6 * (64 * 128 * 4 + 128), QueryGradientSums.bytes(shape(64, 900, 128), DType.BF16));
    }

    @Test
    void needsNoWorkspaceForOtherKernels() {
        assertEquals(0, QueryGradientSums.bytes(shape(65, 65, 64), DType.FP32));
        assertEquals(0, QueryGradientSums.bytes(shape(65, 65, 96), DType.BF16));
        assertEquals(0, QueryGradientSums.bytes(shape(0, 65, 64), DType.BF16));
        assertEquals(0, QueryGradientSums.bytes(shape(65, 0, 64), DType.BF16));
    }
}
