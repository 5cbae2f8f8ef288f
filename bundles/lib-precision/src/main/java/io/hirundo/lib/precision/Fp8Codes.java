package io.hirundo.lib.precision;

import io.hirundo.tensor.DType;

/** Values of 8-bit floats (Micikevicius et al. 2022, arXiv 2209.05433). */
public final class Fp8Codes {
    private static final int CODES = 256;
    private static final int SIGN = 0x80;

    private Fp8Codes() {}

    /**
     * The value of each 8-bit pattern, indexed as an unsigned number.
     *
     * @param type FP8_E4M3 or FP8_E5M2
     */
    public static float[] values(DType type) {
        var values = new float[CODES];
        for (int code = 0; code < CODES; code++) {
            values[code] = (code & SIGN) == 0 ? magnitude(type, code) : -magnitude(type, code - SIGN);
        }
        return values;
    }

    /** Largest finite value of the dtype. */
    public static float largest(DType type) {
        return isWide(type) ? 57344 : 448;
    }

    /** Smallest positive value of the dtype. */
    public static float smallest(DType type) {
        return magnitude(type, 1);
    }

    private static boolean isWide(DType type) {
        return switch (type) {
            case FP8_E4M3 -> false;
            case FP8_E5M2 -> true;
            default -> throw new IllegalArgumentException("dtype: " + type + " is wrong (allowed: FP8_E4M3, FP8_E5M2)");
        };
    }

    private static float magnitude(DType type, int code) {
        boolean wide = isWide(type);
        int mantissaBits = wide ? 2 : 3;
        int bias = wide ? 15 : 7;
        int exponent = code >> mantissaBits;
        int mantissa = code & ((1 << mantissaBits) - 1);
        if (wide && exponent == 31) {
            return mantissa == 0 ? Float.POSITIVE_INFINITY : Float.NaN;
        }
        if (!wide && code == SIGN - 1) {
            return Float.NaN;
        }
        int whole = exponent == 0 ? mantissa : mantissa + (1 << mantissaBits);
        return Math.scalb((float) whole, Math.max(exponent, 1) - bias - mantissaBits);
    }
}
