package io.hirundo.testkit.scalar.kernel;

import io.hirundo.device.Queue;
import io.hirundo.kernel.ArithmeticKernels;
import io.hirundo.tensor.Tensor;
import io.hirundo.testkit.scalar.value.ScalarTensor;
import java.util.function.DoubleBinaryOperator;

/** Scalar arithmetic of optimizers. */
final class ScalarArithmetic implements ArithmeticKernels {
    @Override
    public void axpby(Queue queue, Factor a, Tensor xN, double b, Tensor yN) {
        double factor = a.value()
                * a.scalar1()
                        .map(scalar -> ScalarTensor.of("scalar1", scalar).get(0))
                        .orElse(1.0);
        combine(xN, yN, (x, y) -> b == 0 ? factor * x : factor * x + b * y);
    }

    @Override
    public void multiply(Queue queue, Tensor xN, Tensor yN) {
        combine(xN, yN, (x, y) -> y * x);
    }

    @Override
    public void divide(Queue queue, Tensor xN, double epsilon, Tensor yN) {
        combine(xN, yN, (x, y) -> y / (x + epsilon));
    }

    @Override
    public void squareRoot(Queue queue, Tensor xN) {
        combine(xN, xN, (x, same) -> Math.sqrt(x));
    }

    @Override
    public void sign(Queue queue, Tensor xN) {
        combine(xN, xN, (x, same) -> Math.signum(x));
    }

    private static void combine(Tensor xN, Tensor yN, DoubleBinaryOperator operation) {
        ScalarTensor x = ScalarTensor.of("xN", xN);
        ScalarTensor y = ScalarTensor.of("yN", yN);
        if (x.elements() != y.elements() || x.dtype() != y.dtype() || !x.dtype().isFloating()) {
            throw new IllegalArgumentException("xN " + x + " does not fit yN " + y);
        }
        for (long i = 0; i < x.elements(); i++) {
            y.set(i, operation.applyAsDouble(x.get(i), y.get(i)));
        }
    }
}
