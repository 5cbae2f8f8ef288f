package io.hirundo.optimizermuon.internal;

import io.hirundo.lib.optimizer.WeightRounding;
import io.hirundo.strategy.Setting;
import java.util.List;

/**
 * Options of {@code muon}.
 *
 * @param momentum share of earlier gradients
 * @param nesterov whether the update looks one step ahead
 * @param iterations Newton-Schulz iterations
 * @param weightDecay of matrices, both those of Muon and those of AdamW; vectors never decay
 * @param orthogonalizeShards whether matrices that tensor parallelism splits are orthogonalized shard by shard
 * @param adamW matrices that AdamW updates, by name
 * @param beta1 decay of AdamW's first moment
 * @param beta2 decay of AdamW's second moment
 * @param epsilon added to the root of AdamW's second moment
 * @param bf16Rounding of updated BF16 weights; {@link WeightRounding#STOCHASTIC} or {@link WeightRounding#NEAREST}
 * @param roundingSeed of stochastic rounding
 */
public record MuonOptions(
        @Setting(value = "Share of earlier gradients that a step keeps, below 1", min = 0, max = 1)
        double momentum,

        @Setting("Whether the update looks one step ahead (Nesterov)")
        boolean nesterov,

        @Setting(value = "Newton-Schulz iterations of a step", min = 1, max = 20)
        int iterations,

        @Setting(value = "Decoupled weight decay of matrices; vectors never decay", min = 0)
        double weightDecay,

        @Setting(
                "Whether matrices that tensor parallelism splits are orthogonalized shard by shard, which is another update than that"
                        + " of a single rank; false rejects such a layout")
        boolean orthogonalizeShards,

        @Setting("Names of matrices that AdamW updates; * matches any text")
        List<String> adamW,

        @Setting(value = "Decay of AdamW's first moment, below 1", min = 0, max = 1)
        double beta1,

        @Setting(value = "Decay of AdamW's second moment, below 1", min = 0, max = 1)
        double beta2,

        @Setting(value = "Added to the root of AdamW's second moment, above 0", min = 0)
        double epsilon,

        @Setting(
                value =
                        "How updated weights are rounded where the precision has no FP32 master weights: stochastic, or nearest (even)",
                allowed = {WeightRounding.STOCHASTIC, WeightRounding.NEAREST})
        String bf16Rounding,

        @Setting("Seed of stochastic rounding") long roundingSeed) {
    public MuonOptions {
        adamW = List.copyOf(adamW);
    }

    public MuonOptions() {
        this(0.95, true, 5, 0.1, false, List.of("*embed*", "*lm_head*"), 0.9, 0.95, 1e-8, WeightRounding.STOCHASTIC, 0);
    }

    WeightRounding rounding() {
        return WeightRounding.of(bf16Rounding, roundingSeed);
    }
}
