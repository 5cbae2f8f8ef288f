package io.hirundo.paralleldp.internal.fsdp;

import io.hirundo.paralleldp.internal.gradients.GradientType;
import io.hirundo.paralleldp.internal.gradients.ReduceEvery;
import io.hirundo.strategy.Setting;

/**
 * Options of {@code zero2}.
 *
 * @param overlap whether weights and gradients travel while other blocks work
 * @param gatherCodes whether the weights of FP8 GEMMs are gathered as quantized values
 * @param reduceInBf16 whether gradients are rounded to BF16 before they are reduced
 * @param gradientType in which a rank accumulates gradients until they are reduced
 * @param shardSize ranks that share one copy of the weights; 0 for all
 * @param reduceEvery when gradients are reduced
 */
public record Zero2Options(
        @Setting(
                "gather new weights of the next block, and add up gradients of the one before, while a block works; takes memory for the gradients of one more block")
        boolean overlap,

        @Setting(
                "all-gather the weights of FP8 GEMMs as quantized values, where precision and device support it; no bit of the result differs")
        boolean gatherCodes,

        @Setting(
                "reduce gradients over the ranks in BF16: half of the bytes, but each rank's summand and the sum are rounded")
        boolean reduceInBf16,

        @Setting(
                value =
                        "compute a block's gradients in FP32 or BF16 until they are reduced; with reduceEvery=microbatch, sums over microbatches stay in FP32",
                allowed = {GradientType.FP32, GradientType.BF16})
        String gradientType,

        @Setting(
                value =
                        "ranks that shard one copy of the model among them, adjacent data and context ranks; each further group of so many ranks holds a replica (hybrid sharding). A divisor of mesh.data times mesh.context; 0 for all",
                min = 0)
        int shardSize,

        @Setting(
                "reduce gradients after each microbatch, or accumulate them over a step and reduce them once (step): 1/M of the bytes with M microbatches,"
                        + " but all gradients of the model then take memory on each rank")
        ReduceEvery reduceEvery) {
    public Zero2Options() {
        this(true, true);
    }

    public Zero2Options(boolean overlap, boolean gatherCodes) {
        this(overlap, gatherCodes, false, GradientType.FP32, FsdpOptions.ALL_RANKS);
    }

    public Zero2Options(
            boolean overlap, boolean gatherCodes, boolean reduceInBf16, String gradientType, int shardSize) {
        this(overlap, gatherCodes, reduceInBf16, gradientType, shardSize, ReduceEvery.MICROBATCH);
    }
}
