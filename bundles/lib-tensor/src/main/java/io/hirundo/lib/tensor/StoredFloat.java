package io.hirundo.lib.tensor;

import io.hirundo.tensor.DType;

/** Floating dtypes of stored weights, little-endian. */
public enum StoredFloat {
    /** IEEE binary64. */
    F64(8),
    /** IEEE binary32. */
    F32(4),
    /** IEEE binary16. */
    F16(2),
    /** bfloat16: the upper half of a binary32. */
    BF16(2);

    private final int byteSize;

    StoredFloat(int byteSize) {
        this.byteSize = byteSize;
    }

    /** Bytes per element. */
    public int byteSize() {
        return byteSize;
    }

    /** Whether the stored bytes equal those of this dtype in memory. */
    public boolean isSameAs(DType dtype) {
        return switch (dtype) {
            case FP64 -> this == F64;
            case FP32 -> this == F32;
            case BF16 -> this == BF16;
            case INT32, FP8_E4M3, FP8_E5M2 -> false;
        };
    }
}
