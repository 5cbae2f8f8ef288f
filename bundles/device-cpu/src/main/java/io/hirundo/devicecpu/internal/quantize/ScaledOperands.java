package io.hirundo.devicecpu.internal.quantize;

import io.hirundo.devicecpu.internal.tensor.CpuTensor;
import io.hirundo.devicecpu.internal.tensor.Fp8;
import io.hirundo.kernel.scaled.ScaleBlock;
import io.hirundo.kernel.scaled.ScaleRule;
import io.hirundo.kernel.scaled.ScaledMatrix;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Tensor;

/**
 * A matrix that is quantized, and what becomes of it; checked.
 *
 * @param x FP32 or BF16
 * @param transposed whether the result is that of x transposed
 * @param result its codes and scales
 */
record ScaledOperands(CpuTensor x, ScaleRule rule, boolean transposed, Scaled result) {
    /**
     * An 8-bit matrix, checked.
     *
     * @param rows its rows
     * @param columns its columns
     */
    record Scaled(CpuTensor codes, CpuTensor inverseScales, ScaleBlock block, long rows, long columns) {
        static Scaled of(String operand, ScaledMatrix matrix, long rows, long columns) {
            CpuTensor codes =
                    CpuTensor.CHECK.of(operand + ".codesMK", matrix.codesMK(), DType.FP8_E4M3, DType.FP8_E5M2);
            CpuTensor.CHECK.matrix(operand + ".codesMK", codes, rows, columns);
            CpuTensor scales = CpuTensor.CHECK.exactly(
                    operand + ".inverseScales",
                    matrix.inverseScales(),
                    matrix.block().scales(rows, columns),
                    DType.FP32);
            return new Scaled(codes, scales, matrix.block(), rows, columns);
        }

        Fp8 format() {
            return Fp8.of(codes.dtype());
        }

        float inverseScale(long row, long column) {
            return (float) inverseScales.getDouble(block.scaleIndex(rows, columns, row, column));
        }

        /** Where the inverse scale of an element is. */
        long scaleAddress(long row, long column) {
            return inverseScales.address() + 4 * block.scaleIndex(rows, columns, row, column);
        }

        /** Where the code of an element is. */
        long codeAddress(long row, long column) {
            return codes.address() + row * columns + column;
        }
    }

    static ScaledOperands of(Tensor xMK, ScaleRule rule, boolean transposed, ScaledMatrix result) {
        CpuTensor x = CpuTensor.CHECK.of("xMK", xMK, DType.FP32, DType.BF16);
        long rows = x.shape().rows();
        long columns = x.shape().columns();
        Scaled checked =
                transposed ? Scaled.of("columnsKM", result, columns, rows) : Scaled.of("rowsMK", result, rows, columns);
        return new ScaledOperands(x, rule, transposed, checked);
    }

    long rows() {
        return x.shape().rows();
    }

    long columns() {
        return x.shape().columns();
    }

    /** Of x, for an element of the result. */
    float value(long row, long column) {
        return (float) x.getDouble(transposed ? column * columns() + row : row * columns() + column);
    }

    private String operandName() {
        return transposed ? "columnsKM" : "rowsMK";
    }

    /** Rejects one scale for all. */
    ScaledOperands requireBlocks() {
        if (result.block() == ScaleBlock.MATRIX) {
            throw new IllegalArgumentException(
                    operandName() + " has one scale for all; that is made of a magnitude, by MatrixScaledKernels");
        }
        return this;
    }

    /** The one scale of the result, which is to have one. */
    float scaleOfMatrix(Tensor amax1) {
        if (result.block() != ScaleBlock.MATRIX) {
            throw new IllegalArgumentException(operandName() + " has scales for " + result.block()
                    + ", needed are those for " + ScaleBlock.MATRIX);
        }
        return scale(
                (float) CpuTensor.CHECK.vector("amax1", amax1, 1, DType.FP32).getDouble(0));
    }

    /**
     * The scale of a block.
     *
     * @param amax its largest magnitude, or 0
     */
    float scale(float amax) {
        return scale(amax, result.format(), x.dtype(), rule);
    }

    /**
     * The scale of a block.
     *
     * @param amax its largest magnitude, or 0
     * @param source type of what is quantized
     */
    static float scale(float amax, Fp8 format, DType source, ScaleRule rule) {
        if (amax == 0 || Float.isInfinite(amax)) {
            return 1;
        }
        float scale = format.maximum() / amax;
        if (Float.isInfinite(scale)) {
            scale = source == DType.BF16 ? Float.intBitsToFloat(0x7f7f0000) : Float.MAX_VALUE;
        }
        return rule == ScaleRule.POWER_OF_TWO
                ? Float.intBitsToFloat(Float.floatToRawIntBits(scale) & 0xff800000)
                : scale;
    }
}
