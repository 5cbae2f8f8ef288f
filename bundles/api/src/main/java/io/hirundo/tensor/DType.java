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
  INT32(4);

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
}
