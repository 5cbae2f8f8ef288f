package io.hirundo.devicecuda.internal.kernel.attention;

import io.hirundo.device.Queue;
import io.hirundo.devicecuda.internal.driver.TensorMap.Extent;
import io.hirundo.devicecuda.internal.kernel.gemm.WarpgroupGemms;
import io.hirundo.devicecuda.internal.launch.KernelVariants;
import io.hirundo.devicecuda.internal.launch.LogOnce;
import io.hirundo.devicecuda.internal.launch.Modules;
import io.hirundo.devicecuda.internal.memory.CudaTensor;
import io.hirundo.devicecuda.internal.stream.Launch;
import io.hirundo.kernel.attention.AttentionOptions;
import io.hirundo.kernel.attention.AttentionShape;
import io.hirundo.kernel.attention.QueryGradientSums;
import io.hirundo.tensor.DType;
import java.util.List;
import java.util.stream.Stream;

/**
 * Tensor-core attention kernels of {@code attention_bf16.cu}, {@code attention_backward_bf16.cu}, {@code attention_warpgroup.cu} and
 * {@code attention_backward_warpgroup.cu}; most have one block per 128 rows.
 */
enum TiledAttention {
    FORWARD("attention_bf16", "forward"),
    WARPGROUP_FORWARD("attention_warpgroup", "forward"),
    PERSISTENT_FORWARD("attention_warpgroup", "forward_persistent"),
    DELTA("attention_backward_bf16", "delta"),
    KEYS("attention_backward_bf16", "keys"),
    QUERIES("attention_backward_bf16", "queries"),
    WARPGROUP_BEGIN("attention_backward_warpgroup", "begin"),
    WARPGROUP_KEYS("attention_backward_warpgroup", "keys"),
    DOUBLE_BUFFERED_KEYS("attention_backward_warpgroup", "keys_double_buffered"),
    WARPGROUP_QUERIES("attention_backward_warpgroup", "queries");

    private static final List<Integer> CHANNELS = List.of(64, 128);
    private static final int BF16_BYTES = 2;
    private static final int ROWS = 128;

    /** Threads per block of the kernel that initializes the accumulators. */
    private static final int STARTING = 256;

    /** Threads per block of the kernel that writes the accumulated sums, one tile per block. */
    private static final int WRITING = 128;

    /** Rows of a tile that warpgroup kernels copy at once, forward and backward. */
    static final int FORWARD_TILE = 128;

    static final int BACKWARD_TILE = QueryGradientSums.TILE_TOKENS;

    /** Number of pipeline stages: tiles of keys or values in the forward pass, pairs of tiles in the backward pass. */
    private static final int STAGES = 5;

    private static final int BACKWARD_STAGES = 2;

    /** Maximum number of query tiles per block of the persistent kernel, which has a byte for each. */
    private static final int MOST_ROUNDS = 1024;

    private final String file;
    private final String kernel;

    TiledAttention(String file, String kernel) {
        this.file = file;
        this.kernel = kernel;
    }

    /** Whether the kernels support this shape and these operands of equal dtype. The reason why BF16 operands are not supported is logged once. */
    static boolean takes(LogOnce log, AttentionShape shape, Stream<CudaTensor> operands) {
        List<CudaTensor> all = operands.toList();
        if (all.getFirst().dtype() != DType.BF16) {
            return false;
        }
        String slow = "attention in BF16 takes the naive kernels, which are slow: ";
        if (!shape.effectiveOptions().equals(AttentionOptions.NONE)) {
            log.info(slow + "those with tensor cores have no sliding window, soft cap or scale of its own");
            return false;
        }
        int channels = shape.heads().dim();
        if (!CHANNELS.contains(channels)) {
            log.info(slow + "heads have " + channels + " channels, those with tensor cores are for one of " + CHANNELS);
            return false;
        }
        if (!all.stream().allMatch(tensor -> tensor.isAligned())) {
            log.info(slow + "an operand does not begin at a multiple of " + CudaTensor.ALIGNMENT_BYTES + " bytes");
            return false;
        }
        return true;
    }

    /** The forward kernel for warpgroups. */
    static TiledAttention forwardOnWarpgroups(KernelVariants variants) {
        return variants.persistentAttention() ? PERSISTENT_FORWARD : WARPGROUP_FORWARD;
    }

    /** The kernel of dK, dV and parts of dQ for warpgroups. */
    static TiledAttention keysOnWarpgroups(KernelVariants variants) {
        return variants.doubleBufferedDq() ? DOUBLE_BUFFERED_KEYS : WARPGROUP_KEYS;
    }

    /** Starts a launch. */
    Launch launch(Modules modules, Queue queue, int channels) {
        return modules.launch(queue, file, kernel + "_" + channels).shared(sharedBytes(channels));
    }

    /** Adds a map of [B,H,S,D]; the warpgroup kernels copy this many rows of a head and 64 channels at once. */
    static void tiles(Launch launch, CudaTensor heads, int rows) {
        long tokens = heads.shape().dim(2);
        long channels = heads.shape().dim(3);
        launch.tiles(
                heads,
                channels,
                new Extent(tokens, channels, rows),
                new Extent(heads.shape().dim(0) * heads.shape().dim(1), tokens * channels, 1));
    }

    /** Adds a map of [B S, H D]; the warpgroup kernels copy this many rows of a head and 64 channels at once. */
    static void outputTiles(Launch launch, AttentionShape shape, CudaTensor output, int rows) {
        long channels = shape.heads().dim();
        long rowChannels = shape.heads().outputChannels();
        launch.tiles(
                output,
                channels,
                new Extent(shape.heads().query(), channels, 1),
                new Extent(shape.queryTokens(), rowChannels, rows),
                new Extent(shape.sequences(), shape.queryTokens() * rowChannels, 1));
    }

    /** As in the kernel files: resident rows of BF16, staged tiles of operands, L and delta, dS and dQ of a tile, barriers. */
    private int sharedBytes(int channels) {
        return switch (this) {
            case FORWARD -> BF16_BYTES * (ROWS * channels + 4 * 8192);
            case WARPGROUP_FORWARD ->
                BF16_BYTES * (ROWS + STAGES * FORWARD_TILE) * channels + (2 * STAGES + 2) * Long.BYTES;
            case PERSISTENT_FORWARD -> WARPGROUP_FORWARD.sharedBytes(channels) + MOST_ROUNDS;
            case DELTA, WARPGROUP_BEGIN, WARPGROUP_QUERIES -> 0;
            case KEYS -> BF16_BYTES * (2 * ROWS * channels + 4 * 64 * channels) + 4 * 64 * Float.BYTES;
            case QUERIES -> BF16_BYTES * (2 * ROWS * channels + 4 * 4096);
            case WARPGROUP_KEYS ->
                BF16_BYTES * 2 * (ROWS + BACKWARD_STAGES * BACKWARD_TILE) * channels
                        + BF16_BYTES * 2 * BACKWARD_TILE * ROWS
                        + Float.BYTES * BACKWARD_TILE * (channels + 2 * BACKWARD_STAGES)
                        + (2 * BACKWARD_STAGES + 5) * Long.BYTES;
            // A further buffer and its two barriers.
            case DOUBLE_BUFFERED_KEYS ->
                WARPGROUP_KEYS.sharedBytes(channels) + Float.BYTES * BACKWARD_TILE * channels + 2 * Long.BYTES;
        };
    }

    /** Completes a launch. */
    void run(Launch launch, AttentionShape shape) {
        long ofSums = QueryGradientSums.tiles(shape);
        int channels = shape.heads().dim();
        switch (this) {
            case WARPGROUP_BEGIN -> launch.run(Math.ceilDiv(ofSums, STARTING), STARTING);
            case WARPGROUP_QUERIES -> launch.run(ofSums, WRITING);
            case KEYS -> launch.run(tiles(shape, shape.heads().keyValue(), shape.keyTokens()), 2 * channels);
            case WARPGROUP_KEYS, DOUBLE_BUFFERED_KEYS ->
                launch.run(tiles(shape, shape.heads().keyValue(), shape.keyTokens()), WarpgroupGemms.THREADS);
            case PERSISTENT_FORWARD ->
                throw new IllegalArgumentException("a persistent kernel needs the number of its blocks");
            case WARPGROUP_FORWARD ->
                launch.run(tiles(shape, shape.heads().query(), shape.queryTokens()), WarpgroupGemms.THREADS);
            case FORWARD, DELTA, QUERIES ->
                launch.run(tiles(shape, shape.heads().query(), shape.queryTokens()), 128);
        }
    }

    /** Completes a launch of {@link #PERSISTENT_FORWARD}: one block per multiprocessor, or more where each would have too many tiles. */
    static void runPersistent(Launch launch, AttentionShape shape, int multiprocessors) {
        long tiles = tiles(shape, shape.heads().query(), shape.queryTokens());
        long blocks = Math.max(Math.min(tiles, multiprocessors), Math.ceilDiv(tiles, (long) MOST_ROUNDS));
        launch.integer((long) shape.sequences() * shape.heads().query()).run(blocks, WarpgroupGemms.THREADS);
    }

    private static long tiles(AttentionShape shape, int heads, int tokens) {
        return (long) shape.sequences() * heads * Math.ceilDiv(tokens, ROWS);
    }
}
