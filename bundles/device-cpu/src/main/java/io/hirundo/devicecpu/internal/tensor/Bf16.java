package io.hirundo.devicecpu.internal.tensor;

/** bfloat16, the upper half of a binary32. */
public final class Bf16 {
    public static float toFloat(short bits) {
        return Float.intBitsToFloat(bits << 16);
    }

    /** Rounds to nearest, ties to even; a NaN stays one. */
    public static short fromFloat(float value) {
        int bits = Float.floatToRawIntBits(value);
        if (Float.isNaN(value)) {
            return (short) ((bits >>> 16) | 0x40);
        }
        return (short) ((bits + 0x7fff + ((bits >>> 16) & 1)) >>> 16);
    }

    private Bf16() {}
}
