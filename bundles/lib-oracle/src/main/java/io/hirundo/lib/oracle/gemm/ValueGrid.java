package io.hirundo.lib.oracle.gemm;

import io.hirundo.lib.precision.Fp8Codes;
import io.hirundo.tensor.DType;

/**
 * The values of a floating-point type, to which operands are rounded. Values beyond the largest one of an 8-bit type saturate.
 *
 * @param significantBits digits of a normal value, with the leading one
 * @param smallestExponent of a normal value; smaller values have fewer digits
 * @param largest finite value
 */
record ValueGrid(int significantBits, int smallestExponent, double largest) {
    private static final int BIAS = 1023;
    private static final int MANTISSA_BITS = 52;

    static ValueGrid of(DType type) {
        return switch (type) {
            case FP64 -> new ValueGrid(53, Double.MIN_EXPONENT, Double.POSITIVE_INFINITY);
            case FP32 -> new ValueGrid(24, Float.MIN_EXPONENT, Double.POSITIVE_INFINITY);
            case BF16 -> new ValueGrid(8, Float.MIN_EXPONENT, Double.POSITIVE_INFINITY);
            case FP8_E4M3 -> new ValueGrid(4, -6, Fp8Codes.largest(type));
            case FP8_E5M2 -> new ValueGrid(3, -14, Fp8Codes.largest(type));
            case INT32 -> throw new IllegalArgumentException("no operand is of type " + type);
        };
    }

    /** Distance of the values next to {@code value}. */
    double spacing(double value) {
        int exponent = (int) (Double.doubleToRawLongBits(value) >>> MANTISSA_BITS & 0x7ff) - BIAS;
        long biased = Math.max(exponent, smallestExponent) - (significantBits - 1) + BIAS;
        return biased > 0 ? Double.longBitsToDouble(biased << MANTISSA_BITS) : Double.MIN_VALUE;
    }

    /** The nearest value, of two the even one. */
    double nearest(double value, double spacing) {
        return Math.clamp(Math.rint(value / spacing) * spacing, -largest, largest);
    }
}
