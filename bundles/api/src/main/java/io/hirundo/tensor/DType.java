package io.hirundo.tensor;

/** Element dtypes. Memory is little-endian. */
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
     * Sign, 4 exponent bits (bias 7), 3 mantissa bits (Micikevicius et al. 2022, arXiv 2209.05433). No infinities; NaN is {@code
     * 0x7f} and {@code 0xff}; the largest value is 448. Conversions round to nearest even and saturate, infinities included.
     */
    FP8_E4M3(1),
    /**
     * Sign, 5 exponent bits (bias 15), 2 mantissa bits, with IEEE infinities and NaNs; the largest value is 57344. Converts like
     * {@link #FP8_E4M3}.
     */
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

    /** Whether kernels add and multiply such elements. False for integers, and for 8-bit floats, which need their scales. */
    public boolean isArithmetic() {
        return isFloating() && byteSize > 1;
    }

    /** The dtype of sums and statistics over such elements: at least FP32. */
    public DType statisticsType() {
        return this == FP64 ? FP64 : FP32;
    }
}
