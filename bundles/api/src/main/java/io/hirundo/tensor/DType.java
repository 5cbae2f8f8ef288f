package io.hirundo.tensor;

/** Element types. Memory is little-endian. */
public enum DType {
  /** IEEE binary64: scalar reference and accumulators. */
  FP64(8),
  /** IEEE binary32. */
  FP32(4),
  /** bfloat16: the upper half of a binary32. */
  BF16(2),
  /** Signed 32-bit integers: tokens, labels, positions. */
  INT32(4),
  /**
   * Sign, 4 exponent bits (bias 7), 3 mantissa bits: no infinity, not a number is {@code 0x7f} and {@code 0xff}, the largest is
   * 448 (Micikevicius et al. 2022, arXiv 2209.05433). Conversions round to nearest even and saturate, infinities too.
   */
  FP8_E4M3(1),
  /** Sign, 5 exponent bits (bias 15), 2 mantissa bits, as IEEE types; the largest is 57344. Conversions as of {@link #FP8_E4M3}. */
  FP8_E5M2(1);

  private final int byteSize;

  DType(int byteSize) {
    this.byteSize = byteSize;
  }

  /** Bytes per element. */
  public int byteSize() {
    return byteSize;
  }

  public boolean isFloating() {
    return this != INT32;
  }

  /** Whether kernels add and multiply such elements: neither integers nor 8-bit floats, which mean nothing without their scales. */
  public boolean isArithmetic() {
    return isFloating() && byteSize > 1;
  }
}
