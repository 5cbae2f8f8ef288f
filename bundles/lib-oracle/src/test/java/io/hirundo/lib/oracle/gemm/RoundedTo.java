package io.hirundo.lib.oracle.gemm;

import io.hirundo.lib.oracle.Rounding;
import io.hirundo.tensor.DType;

/** Types that tests round to. */
public enum RoundedTo {
    BINARY32(DType.FP32) {
        @Override
        public double round(double value) {
            return (float) value;
        }
    },
    BFLOAT16(DType.BF16) {
        @Override
        public double round(double value) {
            int bits = Float.floatToRawIntBits((float) value);
            int roundedUp = bits + 0x7fff + ((bits >>> 16) & 1);
            return Float.intBitsToFloat(roundedUp & 0xffff0000);
        }
    };

    private final DType dtype;

    RoundedTo(DType dtype) {
        this.dtype = dtype;
    }

    public abstract double round(double value);

    Rounding rounding() {
        return Rounding.of(dtype);
    }
}
