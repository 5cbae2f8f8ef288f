package io.hirundo.kernel.attention;

import io.hirundo.tensor.DType;
import java.util.List;

/**
 * Workspace of the attention backward with five GEMMs: key blocks accumulate dQ in FP32 (Shah et al. 2024, arXiv 2407.08608). It
 * begins with the state of all blocks. For each head follow the dQ accumulators of every {@value #TILE_TOKENS} queries, each with
 * the state of its blocks. Devices whose {@link io.hirundo.device.MemoryProfile} says so allocate it; {@code device-meta} does
 * the same for them.
 */
public final class QueryGradientSums {
    /** Queries per dQ accumulator tile. */
    public static final int TILE_TOKENS = 64;

    /** Required alignment of the operands. Operands that are not aligned use other kernels, without workspace. */
    public static final int ALIGNMENT_BYTES = 16;

    /** Bytes of state per tile, and once for all tiles. */
    private static final int STATE_BYTES = 128;

    /** Head dimensions with such kernels. */
    private static final List<Integer> CHANNELS = List.of(64, 128);

    private QueryGradientSums() {}

    /** Query tiles of all heads and sequences. The last tile of a sequence may be partial. */
    public static long tiles(AttentionShape shape) {
        return (long) shape.sequences() * shape.heads().query() * Math.ceilDiv(shape.queryTokens(), TILE_TOKENS);
    }

    /**
     * Workspace bytes of a backward with operands of this dtype, aligned to {@link #ALIGNMENT_BYTES}. 0 if there is no such kernel,
     * or no work.
     */
    public static long bytes(AttentionShape shape, DType dtype) {
        int channels = shape.heads().dim();
        boolean isPlain = shape.effectiveOptions().equals(AttentionOptions.NONE);
        if (!isPlain
                || dtype != DType.BF16
                || !CHANNELS.contains(channels)
                || tiles(shape) == 0
                || shape.keyTokens() == 0) {
            return 0;
        }
        long tileBytes = (long) TILE_TOKENS * channels * DType.FP32.byteSize() + STATE_BYTES;
        return STATE_BYTES + tiles(shape) * tileBytes;
    }
}
