package io.hirundo.lib.run.section;

import io.hirundo.strategy.Setting;

/**
 * Bounds of the parity check that runs before a swap: quantization error per layer, and distance of one microbatch from the current
 * strategies.
 * Strategies may set themselves tighter bounds, not looser ones.
 */
public record GateSection(
        @Setting(
                "Whether a parity check runs before the swap: GEMMs against a reference, and the next microbatch with both strategies")
        boolean enabled,

        @Setting(value = "Largest quantization error of a layer's output: norm of the difference over norm", min = 0)
        double output,

        @Setting(value = "The same of a layer's input gradient", min = 0)
        double inputGradient,

        @Setting(value = "The same of a layer's weight gradient", min = 0)
        double weightGradient,

        @Setting(value = "Largest relative difference of the loss from that with the current strategies", min = 0)
        double loss,

        @Setting(value = "The same of the gradient norm, where parallelism or schedule change", min = 0)
        double gradientNorm) {

    /** The defaults: loose enough for FP8, tight enough to reject every wrong result. */
    public GateSection() {
        this(true, 0.1, 0.1, 0.1, 0.02, 0.1);
    }
}
