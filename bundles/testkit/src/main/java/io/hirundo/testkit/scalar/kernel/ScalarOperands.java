package io.hirundo.testkit.scalar.kernel;

import io.hirundo.tensor.DType;
import io.hirundo.tensor.Tensor;
import io.hirundo.testkit.scalar.value.ScalarTensor;

/** ScalarOperands of scalar kernels with the size that they must have. */
final class ScalarOperands {
    private ScalarOperands() {}

    /**
     * A floating operand of so many elements.
     *
     * @throws IllegalArgumentException names the operand
     */
    static ScalarTensor floating(String operand, Tensor tensor, long elements) {
        ScalarTensor checked = ScalarTensor.of(operand, tensor);
        if (checked.elements() != elements || !checked.dtype().isFloating()) {
            throw new IllegalArgumentException(
                    operand + " is " + checked + " (allowed: floating, " + elements + " elements)");
        }
        return checked;
    }

    /** INT32 values, one for each token. */
    static ScalarTensor tokens(String operand, Tensor tensor, long tokens) {
        ScalarTensor checked = ScalarTensor.of(operand, tensor);
        if (checked.elements() != tokens || checked.dtype() != DType.INT32) {
            throw new IllegalArgumentException(
                    operand + " is " + checked + " (allowed: INT32, " + tokens + " elements)");
        }
        return checked;
    }

    static void add(ScalarTensor into, long index, double value) {
        into.set(index, into.get(index) + value);
    }
}
