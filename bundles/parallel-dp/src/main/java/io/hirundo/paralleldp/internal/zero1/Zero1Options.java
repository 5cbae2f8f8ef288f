package io.hirundo.paralleldp.internal.zero1;

import io.hirundo.paralleldp.internal.gradients.GradientType;
import io.hirundo.strategy.Setting;

/**
 * Options of {@code zero1}.
 *
 * @param bucketElements parameters that are sent together
 * @param overlapGradients whether gradients are added up while the backward still runs
 * @param overlapParameters whether weights are gathered while the next forward already runs
 * @param gatherCodes whether the weights of FP8 GEMMs are gathered as quantized values
 * @param reduceInBf16 whether gradients are rounded to BF16 before they are reduced
 * @param gradientType in which a rank accumulates gradients until they are reduced
 * @param lateGradients whether gradients are allocated in each step when the backward first uses them
 */
public record Zero1Options(
        @Setting(
                value =
                        "elements from which on a bucket of parameters is full; 0: by the size of the model and the number of ranks",
                min = 0)
        long bucketElements,

        @Setting("add gradients up while the backward still runs, each bucket as soon as it is complete")
        boolean overlapGradients,

        @Setting("gather weights while the next forward already runs, each bucket behind the one before")
        boolean overlapParameters,

        @Setting(
                "all-gather the weights of FP8 GEMMs as quantized values, where precision and device support it; no bit of the result differs")
        boolean gatherCodes,

        @Setting(
                "reduce gradients over the ranks in BF16: half of the bytes, but each rank's summand and the sum are rounded")
        boolean reduceInBf16,

        @Setting(
                value =
                        "accumulate a rank's gradients in FP32 or BF16; bf16 takes half of their memory and bytes, and rounds after each microbatch",
                allowed = {GradientType.FP32, GradientType.BF16})
        String gradientType,

        @Setting(
                "allocate gradients when the backward first needs them and free them after the update: the forward's activations (with one microbatch per"
                        + " step) and evaluations can use their memory")
        boolean lateGradients) {
    /** Megatron-LM's rule: more saves no time. */
    private static final long ENOUGH = 40_000_000;

    private static final long ENOUGH_OF_EACH_RANK = 1_000_000;

    /**
     * A small model has this many all the same: what its first gather and its last sum hold is exposed, because there is nothing
     * left to hide it. With late gradients a single rank has as many.
     */
    private static final long BUCKETS = 64;

    /** In fewer the latency of messages would be longer than what it takes to send them. */
    private static final long LEAST_OF_EACH_RANK = 1 << 17;

    public Zero1Options() {
        this(0, true, true, true);
    }

    public Zero1Options(long bucketElements, boolean overlapGradients, boolean overlapParameters, boolean gatherCodes) {
        this(bucketElements, overlapGradients, overlapParameters, gatherCodes, false, GradientType.FP32);
    }

    public Zero1Options(
            long bucketElements,
            boolean overlapGradients,
            boolean overlapParameters,
            boolean gatherCodes,
            boolean reduceInBf16,
            String gradientType) {
        this(bucketElements, overlapGradients, overlapParameters, gatherCodes, reduceInBf16, gradientType, false);
    }

    /** Elements from which on a bucket is full. {@code elements}: of all parameters. */
    public long closingElements(long elements, int ranks) {
        if (bucketElements != 0) {
            return bucketElements;
        }
        long enough = Math.max(ENOUGH, ENOUGH_OF_EACH_RANK * ranks);
        if (ranks == 1 && !lateGradients) {
            // Nothing is sent.
            return enough;
        }
        return Math.min(enough, Math.max(Math.ceilDiv(elements, BUCKETS), LEAST_OF_EACH_RANK * ranks));
    }
}
