package io.hirundo.fp8pertensor.internal;

import io.hirundo.strategy.Setting;

/** Options of the precision {@code fp8-delayed}. */
public record Fp8DelayedOptions(
        @Setting(value = "length of the amax history, in steps", min = 1, max = 65536)
        int history,

        @Setting(
                value = "amax that the scale derives from: the maximum of the history, or the last step's",
                allowed = {MAX, MOST_RECENT})
        String amax,

        @Setting(value = "headroom of the scale above the amax, as a power of two", min = 0, max = 8)
        int margin,

        @Setting(
                value =
                        "8-bit type of output gradients: E4M3 for precision, E5M2 for range; all other operands are E4M3",
                allowed = {Codes.E4M3, Codes.E5M2})
        String gradients,

        @Setting(
                value = "scale: the largest power of two that fits, or any value, to use the full range",
                allowed = {Codes.POWER_OF_TWO, Codes.EXACT})
        String scales,

        @Setting(value = "transformer blocks at the start of the model that stay in bf16", min = 0)
        int firstInBf16,

        @Setting(value = "transformer blocks at the end of the model that stay in bf16", min = 0)
        int lastInBf16,

        @Setting("whether query, key and value projections run in fp8")
        boolean queryKeyValue,

        @Setting("whether the loss head runs in fp8") boolean head) {
    public static final String MAX = "max";
    public static final String MOST_RECENT = "most-recent";

    /** The defaults of NVIDIA's Transformer Engine. */
    public Fp8DelayedOptions() {
        this(1024, MAX, 0, Codes.E5M2, Codes.EXACT, 0, 0, true, false);
    }
}
