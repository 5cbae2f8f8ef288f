package io.hirundo.testkit.scalar.kernel;

import io.hirundo.device.Queue;
import io.hirundo.kernel.ElementwiseKernels;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Tensor;
import io.hirundo.testkit.scalar.value.ScalarTensor;
import java.util.Arrays;
import java.util.function.DoubleBinaryOperator;

/** Scalar elementwise kernels. */
final class ScalarElementwise implements ElementwiseKernels {
    @Override
    public void fill(Queue queue, Tensor x, double value) {
        ScalarTensor to = ScalarTensor.of("x", x);
        var values = new double[Math.toIntExact(to.elements())];
        Arrays.fill(values, value);
        to.setValues(values);
    }

    @Override
    public void add(Queue queue, Tensor x, Tensor into) {
        if (x.dtype() != DType.BF16 || into.dtype() != DType.FP32) {
            requireSameType(x, into);
        }
        combine(x, into, Double::sum);
    }

    @Override
    public void maximum(Queue queue, Tensor x, Tensor into) {
        requireSameType(x, into);
        combine(x, into, Math::max);
    }

    @Override
    public void copy(Queue queue, Tensor from, Tensor to) {
        if (!ScalarTensor.of("from", from).isSame(ScalarTensor.of("to", to))) {
            combine(from, to, (value, old) -> value);
        }
    }

    @Override
    public void scale(Queue queue, Tensor x, double factor) {
        ScalarTensor to = ScalarTensor.of("x", x);
        double[] values = to.values();
        for (int i = 0; i < values.length; i++) {
            values[i] *= factor;
        }
        to.setValues(values);
    }

    private static void requireSameType(Tensor x, Tensor into) {
        if (x.dtype() != into.dtype()) {
            throw new IllegalArgumentException("x is " + x.dtype() + ", into is " + into.dtype());
        }
    }

    private static void combine(Tensor x, Tensor into, DoubleBinaryOperator operation) {
        ScalarTensor from = ScalarTensor.of("x", x);
        ScalarTensor to = ScalarTensor.of("into", into);
        if (from.elements() != to.elements()
                || from.dtype().isFloating() != to.dtype().isFloating()) {
            throw new IllegalArgumentException("x " + from + " does not fit into " + to);
        }
        double[] values = from.values();
        double[] results = to.values();
        for (int i = 0; i < values.length; i++) {
            results[i] = operation.applyAsDouble(values[i], results[i]);
        }
        to.setValues(results);
    }
}
