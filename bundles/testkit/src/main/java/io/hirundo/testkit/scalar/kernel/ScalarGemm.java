package io.hirundo.testkit.scalar.kernel;

import io.hirundo.device.Queue;
import io.hirundo.kernel.GemmKernels;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Tensor;
import io.hirundo.testkit.scalar.value.ScalarTensor;

/** Scalar GEMMs, accumulated in FP64. */
final class ScalarGemm implements GemmKernels {
    @Override
    public void multiplyNT(Queue queue, Tensor aMK, Tensor bNK, Tensor cMN, boolean accumulate) {
        multiply(operand("a", aMK, false), operand("b", bNK, true), cMN, accumulate);
    }

    @Override
    public void multiplyNN(Queue queue, Tensor aMK, Tensor bKN, Tensor cMN, boolean accumulate) {
        multiply(operand("a", aMK, false), operand("b", bKN, false), cMN, accumulate);
    }

    @Override
    public void multiplyTN(Queue queue, Tensor aKM, Tensor bKN, Tensor cMN, boolean accumulate) {
        multiply(operand("a", aKM, true), operand("b", bKN, false), cMN, accumulate);
    }

    /** A matrix, read transposed or as it is stored. */
    private record Operand(ScalarTensor tensor, long rows, long columns, boolean transposed) {
        /** The elements by row, or by column where {@code byRow} is false. */
        double[] ordered(boolean byRow) {
            double[] stored = tensor.values();
            if (transposed != byRow) {
                return stored;
            }
            int storedRows = Math.toIntExact(transposed ? columns : rows);
            int storedColumns = Math.toIntExact(transposed ? rows : columns);
            var ordered = new double[stored.length];
            for (int i = 0; i < stored.length; i++) {
                ordered[i % storedColumns * storedRows + i / storedColumns] = stored[i];
            }
            return ordered;
        }
    }

    private static Operand operand(String name, Tensor tensor, boolean transposed) {
        long rows = tensor.shape().rows();
        long columns = tensor.shape().dim(-1);
        var scalar = ScalarTensor.of(name, tensor);
        return transposed ? new Operand(scalar, columns, rows, true) : new Operand(scalar, rows, columns, false);
    }

    private static void multiply(Operand a, Operand b, Tensor result, boolean accumulate) {
        ScalarTensor c = ScalarTensor.of("c", result);
        boolean wide = c.dtype() == DType.FP64;
        boolean floating = c.dtype().isFloating()
                && a.tensor.dtype().isFloating()
                && b.tensor.dtype().isFloating();
        if (!floating
                || a.columns != b.rows
                || c.shape().rows() != a.rows
                || c.shape().dim(-1) != b.columns
                || wide != (a.tensor.dtype() == DType.FP64)
                || wide != (b.tensor.dtype() == DType.FP64)) {
            throw new IllegalArgumentException("operands do not fit: a " + a.tensor + ", b " + b.tensor + ", c " + c
                    + (a.transposed ? ", a read transposed" : "") + (b.transposed ? ", b read transposed" : ""));
        }
        double[] aRows = a.ordered(true);
        double[] bColumns = b.ordered(false);
        double[] sums = c.values();
        int inner = Math.toIntExact(a.columns);
        for (int i = 0; i < sums.length; i++) {
            int aFirst = i / (int) b.columns * inner;
            int bFirst = i % (int) b.columns * inner;
            double sum = accumulate ? sums[i] : 0;
            for (int k = 0; k < inner; k++) {
                sum += aRows[aFirst + k] * bColumns[bFirst + k];
            }
            sums[i] = sum;
        }
        c.setValues(sums);
    }
}
