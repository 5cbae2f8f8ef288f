package io.hirundo.testkit.scalar.kernel;

import io.hirundo.device.Queue;
import io.hirundo.kernel.BiasKernels;
import io.hirundo.tensor.Tensor;
import io.hirundo.testkit.scalar.value.ScalarTensor;

/** Scalar biases. */
final class ScalarBias implements BiasKernels {
    @Override
    public void add(Queue queue, Tensor biasN, Tensor xTM, long firstColumn) {
        ScalarTensor bias = ScalarTensor.of("biasN", biasN);
        ScalarTensor x = matrix("xTM", xTM, bias, firstColumn);
        long columns = xTM.shape().dim(-1);
        for (long row = 0; row < xTM.shape().rows(); row++) {
            for (long n = 0; n < bias.elements(); n++) {
                ScalarOperands.add(x, row * columns + firstColumn + n, bias.get(n));
            }
        }
    }

    @Override
    public void addColumnSums(Queue queue, Tensor dyTM, long firstColumn, Tensor dBiasN) {
        ScalarTensor dBias = ScalarTensor.of("dBiasN", dBiasN);
        ScalarTensor dy = matrix("dyTM", dyTM, dBias, firstColumn);
        long columns = dyTM.shape().dim(-1);
        for (long n = 0; n < dBias.elements(); n++) {
            double sum = 0;
            for (long row = 0; row < dyTM.shape().rows(); row++) {
                sum += dy.get(row * columns + firstColumn + n);
            }
            ScalarOperands.add(dBias, n, sum);
        }
    }

    private static ScalarTensor matrix(String operand, Tensor matrix, ScalarTensor bias, long firstColumn) {
        if (firstColumn < 0 || firstColumn + bias.elements() > matrix.shape().dim(-1)) {
            throw new IllegalArgumentException("firstColumn is " + firstColumn + ", but " + bias.elements()
                    + " columns must fit into " + operand + " " + matrix.shape());
        }
        return ScalarTensor.of(operand, matrix);
    }
}
