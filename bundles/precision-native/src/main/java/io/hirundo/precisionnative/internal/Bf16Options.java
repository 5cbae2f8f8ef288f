package io.hirundo.precisionnative.internal;

import io.hirundo.strategy.Setting;

/**
 * Options of {@code bf16}.
 *
 * @param masterWeights {@link #FP32} or {@link #NONE}
 */
public record Bf16Options(
        @Setting(
                value =
                        "FP32 master weights, which the optimizer updates; or none: it updates BF16 weights, and rounds them (bf16Rounding of adamw, lion and muon)",
                allowed = {Bf16Options.FP32, Bf16Options.NONE})
        String masterWeights) {
    static final String FP32 = "fp32";
    static final String NONE = "none";

    public Bf16Options() {
        this(FP32);
    }
}
