package io.hirundo.testkit.scalar.scaled;

import io.hirundo.kernel.scaled.ScaledMatrix;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Tensor;
import io.hirundo.testkit.scalar.value.ScalarTensor;

/** An FP32 or BF16 matrix that is quantized, in the order in which its codes are stored. */
record ScalarMatrix(double[] values, DType dtype, ScalarScaled result) {
    static ScalarMatrix of(Tensor xMK, ScaledMatrix rowsMK) {
        ScalarTensor x = checked("xMK", xMK);
        var result = ScalarScaled.of("rowsMK", rowsMK)
                .requireShape("rowsMK", x.shape().rows(), x.shape().dim(-1));
        return new ScalarMatrix(x.values(), x.dtype(), result);
    }

    static ScalarMatrix transposed(Tensor xMK, ScaledMatrix columnsKM) {
        ScalarTensor x = checked("xMK", xMK);
        var result = ScalarScaled.of("columnsKM", columnsKM)
                .requireShape("columnsKM", x.shape().dim(-1), x.shape().rows());
        return new ScalarMatrix(transposed(x.values(), result.columns(), result.rows()), x.dtype(), result);
    }

    /** The transpose of a matrix [rows, columns]. */
    static double[] transposed(double[] values, int rows, int columns) {
        var transposed = new double[values.length];
        for (int i = 0; i < values.length; i++) {
            transposed[i % columns * rows + i / columns] = values[i];
        }
        return transposed;
    }

    static ScalarTensor checked(String operand, Tensor tensor) {
        ScalarTensor checked = ScalarTensor.of(operand, tensor);
        if (checked.dtype() != DType.FP32 && checked.dtype() != DType.BF16) {
            throw new IllegalArgumentException(operand + " is " + checked + " (allowed: FP32, BF16)");
        }
        return checked;
    }
}
