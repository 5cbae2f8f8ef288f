package io.hirundo.lib.run.section;

import io.hirundo.strategy.Setting;

/** How strategies are replaced during a run. */
public record SwapSection(
        @Setting("The parity check before a swap") GateSection gate,

        @Setting(value = "Steps for which the loss monitor watches the loss after a swap; 0 for none", min = 0)
        long watchSteps,

        @Setting(
                value = "Largest relative rise of the loss above its mean before the swap; above it the swap is undone",
                min = 0)
        double watchRise,

        @Setting(
                value = "Seconds that the run waits for a strategy whose bundle is missing, before it saves and ends",
                min = 0)
        long waitSeconds) {

    /** The defaults. */
    public SwapSection() {
        this(new GateSection(), 20, 0.25, 600);
    }
}
