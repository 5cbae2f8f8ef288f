package io.hirundo.devicecpu.internal.vector;

/**
 * Constants of exponentials that are rounded to BF16, for loops that have to hold all of their arithmetic themselves, see {@link Lanes}:
 *
 * <pre>
 *   t = x LOG2_E                      between LOWEST and 128, or a result of 0 for less
 *   exponent = t + EXPONENT_MAGIC     round(t) + 127 in the low bits
 *   f = t - (exponent - EXPONENT_MAGIC)
 *   exp(x) = (P0 + f (P1 + f (P2 + f (P3 + f P4)))) 2^round(t)
 * </pre>
 *
 * The polynomial is the minimax one of degree 4 for {@code 2^f, |f| <= 1/2}, found by Remez' exchange: relative error 2.7e-6, where a
 * BF16 rounds by up to 4e-3.
 */
public final class FastExp {
    public static final float LOG2_E = 0x1.715476p0f;

    /** Adding this leaves round-to-even(x) + 127 in the low bits: the exponent field of 2^x. */
    public static final float EXPONENT_MAGIC = 0x1.8p23f + 127;

    /** Below this the result would be subnormal. */
    public static final float LOWEST = -126f;

    /** Clamps exp(-gate), so that 1 + exp(-gate) stays finite; SiLU of gates below -69 is gate * 2^-100, not 0, and of -infinity not NaN. */
    public static final float HIGHEST = 100f;

    public static final float P0 = 0x1.ffffe8p-1f;
    public static final float P1 = 0x1.62e0dcp-1f;
    public static final float P2 = 0x1.ec06dap-3f;
    public static final float P3 = 0x1.ca1440p-5f;
    public static final float P4 = 0x1.3997d6p-7f;

    private FastExp() {}
}
