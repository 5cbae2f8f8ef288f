package io.hirundo.devicecpu.internal.tensor;

import io.hirundo.tensor.DType;

/** The 8-bit floating types, element by element; the constants are also those of the vector loops. */
public enum Fp8 {
    E4M3(3, 7, 448f, 0x7e),
    E5M2(2, 15, 57344f, 0x7b);

    /** All but the sign. */
    public static final int MAGNITUDE = 0x7f;

    /** Bits of an FP32 mantissa that BF16 has not. */
    public static final int BF16_SHIFT = 16;

    /** The code of NaN. */
    public static final int NAN = 0x7f;

    private static final int FP32_MANTISSA_BITS = 23;
    private static final int FP32_BIAS = 127;

    private final int shift;
    private final int bias;
    private final int exponentOffset;
    private final float maximum;
    private final int maximumCode;
    private final float leastNormal;
    private final float roundsSubnormals;
    private final float toValue;

    /** The value of each code: the scalar references look up every element. */
    private final float[] values = new float[1 << Byte.SIZE];

    Fp8(int mantissaBits, int bias, float maximum, int maximumCode) {
        this.shift = FP32_MANTISSA_BITS - mantissaBits;
        this.bias = bias;
        this.exponentOffset = (FP32_BIAS - bias) << mantissaBits;
        this.maximum = maximum;
        this.maximumCode = maximumCode;
        this.leastNormal = Math.scalb(1f, 1 - bias);
        this.roundsSubnormals = Math.scalb(1f, FP32_MANTISSA_BITS + 1 - bias - mantissaBits);
        this.toValue = Math.scalb(1f, FP32_BIAS - bias);
        for (int code = 0; code < values.length; code++) {
            float magnitude = magnitude(code & MAGNITUDE);
            values[code] = code > MAGNITUDE ? -magnitude : magnitude;
        }
    }

    /** Beyond the largest value E5M2 has infinity and NaN, E4M3 NaN alone. */
    private float magnitude(int code) {
        if (code <= maximumCode) {
            return Float.intBitsToFloat(code << shift) * toValue;
        }
        return code < NAN && code == maximumCode + 1 ? Float.POSITIVE_INFINITY : Float.NaN;
    }

    public static Fp8 of(DType dtype) {
        return switch (dtype) {
            case FP8_E4M3 -> E4M3;
            case FP8_E5M2 -> E5M2;
            default -> throw new IllegalArgumentException(dtype + " is no 8-bit type");
        };
    }

    public float toFloat(byte code) {
        return values[Byte.toUnsignedInt(code)];
    }

    /** Rounds to nearest, ties to even, and saturates; NaN becomes {@link #NAN}. */
    public byte fromFloat(float value) {
        if (Float.isNaN(value)) {
            return NAN;
        }
        float magnitude = Math.abs(value);
        int sign = Float.floatToRawIntBits(value) >>> 24 & ~MAGNITUDE;
        int code;
        if (magnitude >= maximum) {
            code = maximumCode;
        } else if (magnitude < leastNormal) {
            // The sum's last place is that of a subnormal.
            code = Float.floatToRawIntBits(magnitude + roundsSubnormals) - Float.floatToRawIntBits(roundsSubnormals);
        } else {
            int bits = Float.floatToRawIntBits(magnitude);
            code = (bits + (1 << shift - 1) - 1 + (bits >>> shift & 1) >>> shift) - exponentOffset;
        }
        return (byte) (sign | code);
    }

    /** The largest value. */
    public float maximum() {
        return maximum;
    }

    /** Its code; of magnitudes only infinity and NaN have larger ones. */
    public int maximumCode() {
        return maximumCode;
    }

    /** From here on values have all their mantissa bits. */
    public float leastNormal() {
        return leastNormal;
    }

    /** Of the exponent. */
    public int bias() {
        return bias;
    }

    /** Bits of an FP32 mantissa that are rounded away. */
    public int shift() {
        return shift;
    }

    /** What the shifted code of a finite magnitude, read as FP32, is multiplied with for its value; exact. */
    public float toValue() {
        return toValue;
    }
}
