package io.hirundo.fp8pertensor.internal;

import io.hirundo.strategy.Setting;

/** Options of the precision {@code fp8-current}. */
public record Fp8CurrentOptions(
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
    /** The defaults of NVIDIA's Transformer Engine. */
    public Fp8CurrentOptions() {
        this(Codes.E5M2, Codes.EXACT, 0, 0, true, false);
    }
}
