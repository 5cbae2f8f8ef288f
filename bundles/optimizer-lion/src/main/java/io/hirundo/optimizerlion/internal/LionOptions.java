package io.hirundo.optimizerlion.internal;

import io.hirundo.lib.optimizer.WeightRounding;
import io.hirundo.strategy.Setting;

/**
 * Options of {@code lion}.
 *
 * @param beta1 share of the moving average in the update
 * @param beta2 decay of the moving average
 * @param weightDecay of matrices; vectors never decay
 * @param bf16Rounding of updated BF16 weights; {@link WeightRounding#STOCHASTIC} or {@link WeightRounding#NEAREST}
 * @param roundingSeed of stochastic rounding
 */
public record LionOptions(
        @Setting(value = "Share of the moving average in the update; the rest is the gradient's", min = 0, max = 1)
        double beta1,

        @Setting(value = "Decay of the moving average of gradients, below 1", min = 0, max = 1)
        double beta2,

        @Setting(value = "Decoupled weight decay of matrices; vectors never decay", min = 0)
        double weightDecay,

        @Setting(
                value =
                        "How updated weights are rounded where the precision has no FP32 master weights: stochastic, or nearest (even)",
                allowed = {WeightRounding.STOCHASTIC, WeightRounding.NEAREST})
        String bf16Rounding,

        @Setting("Seed of stochastic rounding") long roundingSeed) {
    public LionOptions() {
        this(0.9, 0.99, 0.1);
    }

    /** With stochastic rounding, if weights are BF16. */
    public LionOptions(double beta1, double beta2, double weightDecay) {
        this(beta1, beta2, weightDecay, WeightRounding.STOCHASTIC, 0);
    }

    WeightRounding rounding() {
        return WeightRounding.of(bf16Rounding, roundingSeed);
    }
}
