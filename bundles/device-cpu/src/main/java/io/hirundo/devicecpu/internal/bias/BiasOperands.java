package io.hirundo.devicecpu.internal.bias;

import io.hirundo.devicecpu.internal.tensor.CpuTensor;
import io.hirundo.tensor.Tensor;

/**
 * A bias, or its gradient, and the columns of a matrix that it belongs to, checked.
 *
 * @param bias of the matrix's dtype, or FP32 with a BF16 matrix
 * @param matrix all dimensions but the last are rows
 */
record BiasOperands(CpuTensor bias, CpuTensor matrix, long firstColumn) {
    static BiasOperands of(String biasName, Tensor biasN, String matrixName, Tensor matrixTM, long firstColumn) {
        CpuTensor matrix = CpuTensor.CHECK.floating(matrixName, matrixTM);
        CpuTensor bias = CpuTensor.CHECK.of(biasName, biasN);
        CpuTensor.CHECK.parameter(biasName, biasN, bias.elements(), matrix.dtype());
        long columns = matrix.shape().columns();
        if (firstColumn < 0 || firstColumn > columns - bias.elements()) {
            throw new IllegalArgumentException(biasName + " is for columns " + firstColumn + " to "
                    + (firstColumn + bias.elements()) + " of " + matrixName + ", which has " + columns);
        }
        return new BiasOperands(bias, matrix, firstColumn);
    }

    long rows() {
        return matrix.shape().rows();
    }

    /** N. */
    int count() {
        return Math.toIntExact(bias.elements());
    }

    /** Elements from a row to the next. */
    long stride() {
        return matrix.shape().columns();
    }

    /** The element of a row that belongs to the first one of the bias. */
    long element(long row) {
        return row * stride() + firstColumn;
    }
}
