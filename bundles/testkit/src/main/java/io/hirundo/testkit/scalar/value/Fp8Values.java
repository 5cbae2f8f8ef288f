package io.hirundo.testkit.scalar.value;

import io.hirundo.tensor.DType;
import java.util.Arrays;

/** The values of an 8-bit floating-point dtype. */
public enum Fp8Values {
    E4M3(3, 7, 0x7e, false),
    E5M2(2, 15, 0x7b, true);

    private final int mantissaBits;
    private final int bias;
    private final int largest;
    private final boolean hasInfinity;

    /** By code without sign. */
    private final double[] magnitudes = new double[1 << 7];

    Fp8Values(int mantissaBits, int bias, int largest, boolean hasInfinity) {
        this.mantissaBits = mantissaBits;
        this.bias = bias;
        this.largest = largest;
        this.hasInfinity = hasInfinity;
        for (int code = 0; code < magnitudes.length; code++) {
            magnitudes[code] = magnitude(code);
        }
    }

    public static Fp8Values of(DType dtype) {
        return switch (dtype) {
            case FP8_E4M3 -> E4M3;
            case FP8_E5M2 -> E5M2;
            default -> throw new IllegalArgumentException(dtype + " is no 8-bit type");
        };
    }

    private double magnitude(int code) {
        if (code > largest) {
            return hasInfinity && code == largest + 1 ? Double.POSITIVE_INFINITY : Double.NaN;
        }
        int exponent = code >> mantissaBits;
        double fraction = Math.scalb((double) (code & (1 << mantissaBits) - 1), -mantissaBits);
        return exponent == 0 ? Math.scalb(fraction, 1 - bias) : Math.scalb(1 + fraction, exponent - bias);
    }

    /** The largest finite value. */
    public double largest() {
        return magnitudes[largest];
    }

    public double value(byte code) {
        double magnitude = magnitudes[code & 0x7f];
        return code < 0 ? -magnitude : magnitude;
    }

    /** The nearest finite value, ties to the even code; {@code 0x7f} for NaN. */
    public byte nearest(double value) {
        if (Double.isNaN(value)) {
            return 0x7f;
        }
        double wanted = Math.min(Math.abs(value), magnitudes[largest]);
        int best = Arrays.binarySearch(magnitudes, 0, largest + 1, wanted);
        if (best < 0) {
            int above = -best - 1;
            double gain = wanted - magnitudes[above - 1] - (magnitudes[above] - wanted);
            best = gain > 0 || gain == 0 && above % 2 == 0 ? above : above - 1;
        }
        return (byte) (best | (Math.copySign(1, value) < 0 ? 0x80 : 0));
    }
}
