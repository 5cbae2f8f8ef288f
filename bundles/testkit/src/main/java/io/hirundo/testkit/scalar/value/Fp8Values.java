package io.hirundo.testkit.scalar.value;

import io.hirundo.tensor.DType;

/** The values of an 8-bit floating-point dtype; searches all of them. */
public enum Fp8Values {
  E4M3(3, 7, 0x7e),
  E5M2(2, 15, 0x7b);

  private final int mantissaBits;
  private final int bias;
  private final int largest;

  Fp8Values(int mantissaBits, int bias, int largest) {
    this.mantissaBits = mantissaBits;
    this.bias = bias;
    this.largest = largest;
  }

  public static Fp8Values of(DType dtype) {
    return switch (dtype) {
      case FP8_E4M3 -> E4M3;
      case FP8_E5M2 -> E5M2;
      default -> throw new IllegalArgumentException(dtype + " is no 8-bit type");
    };
  }

  public double value(byte code) {
    int magnitude = code & 0x7f;
    double sign = code < 0 ? -1 : 1;
    if (magnitude > largest) {
      return this == E5M2 && magnitude == largest + 1 ? sign * Double.POSITIVE_INFINITY : Double.NaN;
    }
    int exponent = magnitude >> mantissaBits;
    double fraction = Math.scalb((double) (magnitude & (1 << mantissaBits) - 1), -mantissaBits);
    return sign * (exponent == 0 ? Math.scalb(fraction, 1 - bias) : Math.scalb(1 + fraction, exponent - bias));
  }

  /** The nearest finite value, ties to the even code; {@code 0x7f} for NaN. */
  public byte nearest(double value) {
    if (Double.isNaN(value)) {
      return 0x7f;
    }
    double wanted = Math.min(Math.abs(value), value((byte) largest));
    int best = 0;
    for (int code = 1; code <= largest; code++) {
      double gain = Math.abs(value((byte) best) - wanted) - Math.abs(value((byte) code) - wanted);
      best = gain > 0 || gain == 0 && code % 2 == 0 ? code : best;
    }
    return (byte) (best | (Math.copySign(1, value) < 0 ? 0x80 : 0));
  }
}
