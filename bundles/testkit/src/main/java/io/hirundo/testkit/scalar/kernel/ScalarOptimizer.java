package io.hirundo.testkit.scalar.kernel;

import io.hirundo.device.Queue;
import io.hirundo.kernel.optimizer.AdamWCoefficients;
import io.hirundo.kernel.optimizer.OptimizerKernels;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Tensor;
import io.hirundo.testkit.scalar.value.ScalarTensor;

/** Scalar kernels of the optimizer step. */
final class ScalarOptimizer implements OptimizerKernels {
    @Override
    public void addSumOfSquares(Queue queue, Tensor x, Tensor sum1) {
        ScalarTensor from = ScalarTensor.of("x", x);
        ScalarTensor sum = scalar("sum1", sum1);
        for (long i = 0; i < from.elements(); i++) {
            sum.set(0, sum.get(0) + from.get(i) * from.get(i));
        }
    }

    @Override
    public void clipCoefficient(
            Queue queue, Tensor sumOfSquares1, double maximumNorm, Tensor norm1, Tensor coefficient1) {
        double norm = Math.sqrt(scalar("sumOfSquares1", sumOfSquares1).get(0));
        scalar("norm1", norm1).set(0, norm);
        scalar("coefficient1", coefficient1)
                .set(0, maximumNorm == Double.POSITIVE_INFINITY ? 1 : Math.min(1, maximumNorm / (norm + 1e-6)));
    }

    @Override
    public void adamW(
            Queue queue,
            AdamWCoefficients coefficients,
            Tensor gradientCoefficient1,
            Tensor gradientN,
            Tensor parameterN,
            Tensor firstMomentN,
            Tensor secondMomentN) {
        double factor = scalar("gradientCoefficient1", gradientCoefficient1).get(0);
        ScalarTensor parameter = ScalarTensor.of("parameterN", parameterN);
        ScalarTensor gradient = like(parameter, "gradientN", gradientN);
        ScalarTensor first = like(parameter, "firstMomentN", firstMomentN);
        ScalarTensor second = like(parameter, "secondMomentN", secondMomentN);
        double beta1 = coefficients.beta1();
        double beta2 = coefficients.beta2();
        double rate = coefficients.learningRate() / (1 - Math.pow(beta1, coefficients.step()));
        double root = Math.sqrt(1 - Math.pow(beta2, coefficients.step()));
        double decay = 1 - coefficients.learningRate() * coefficients.weightDecay();
        for (long i = 0; i < parameter.elements(); i++) {
            double g = factor * gradient.get(i);
            double m = beta1 * first.get(i) + (1 - beta1) * g;
            double v = beta2 * second.get(i) + (1 - beta2) * g * g;
            first.set(i, m);
            second.set(i, v);
            parameter.set(i, decay * parameter.get(i) - rate * m / (Math.sqrt(v) / root + coefficients.epsilon()));
        }
    }

    private static ScalarTensor like(ScalarTensor parameter, String operand, Tensor tensor) {
        ScalarTensor checked = ScalarTensor.of(operand, tensor);
        if (checked.elements() != parameter.elements() || checked.dtype() != parameter.dtype()) {
            throw new IllegalArgumentException(operand + " " + checked + " does not fit the parameter " + parameter);
        }
        return checked;
    }

    private static ScalarTensor scalar(String operand, Tensor tensor) {
        ScalarTensor checked = ScalarTensor.of(operand, tensor);
        if (checked.elements() != 1 || checked.dtype() != DType.FP64) {
            throw new IllegalArgumentException(operand + " is " + checked + " (allowed: one FP64 element)");
        }
        return checked;
    }
}
