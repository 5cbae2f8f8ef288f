package io.hirundo.optimizeradamw.internal.adamw;

import io.hirundo.lib.optimizer.WeightRounding;
import io.hirundo.strategy.Setting;

/**
 * Options of {@code adamw}.
 *
 * @param beta1 decay of the first moment
 * @param beta2 decay of the second moment
 * @param epsilon added to the root of the second moment
 * @param weightDecay of matrices; vectors never decay
 * @param eightBitState whether moments of large matrices are stored in 8 bits
 * @param bf16Rounding of updated BF16 weights; {@link WeightRounding#STOCHASTIC} or {@link WeightRounding#NEAREST}
 * @param roundingSeed of stochastic rounding
 */
public record AdamWOptions(
        @Setting(value = "Decay of the first moment, below 1", min = 0, max = 1)
        double beta1,

        @Setting(value = "Decay of the second moment, below 1", min = 0, max = 1)
        double beta2,

        @Setting(value = "Added to the root of the second moment, above 0", min = 0)
        double epsilon,

        @Setting(value = "Decoupled weight decay of matrices; vectors never decay", min = 0)
        double weightDecay,

        @Setting(
                "Store the moments of matrices in 8 bits (blockwise dynamic quantization), where rows are complete blocks of 128; a quarter of their memory")
        boolean eightBitState,

        @Setting(
                value =
                        "How updated weights are rounded where the precision has no FP32 master weights: stochastic, or nearest (even)",
                allowed = {WeightRounding.STOCHASTIC, WeightRounding.NEAREST})
        String bf16Rounding,

        @Setting("Seed of stochastic rounding") long roundingSeed) {
    public AdamWOptions() {
        this(0.9, 0.95, 1e-8, 0.1);
    }

    /** With moments in FP32. */
    public AdamWOptions(double beta1, double beta2, double epsilon, double weightDecay) {
        this(beta1, beta2, epsilon, weightDecay, false);
    }

    /** With stochastic rounding, if weights are BF16. */
    public AdamWOptions(double beta1, double beta2, double epsilon, double weightDecay, boolean eightBitState) {
        this(beta1, beta2, epsilon, weightDecay, eightBitState, WeightRounding.STOCHASTIC, 0);
    }

    WeightRounding rounding() {
        return WeightRounding.of(bf16Rounding, roundingSeed);
    }
}
