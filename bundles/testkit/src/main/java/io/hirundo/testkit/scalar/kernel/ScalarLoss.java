package io.hirundo.testkit.scalar.kernel;

import io.hirundo.device.Queue;
import io.hirundo.kernel.LossKernels;
import io.hirundo.tensor.Tensor;
import io.hirundo.testkit.scalar.value.ScalarTensor;

/** Scalar cross-entropy. */
final class ScalarLoss implements LossKernels {
    @Override
    public void crossEntropy(Queue queue, Tensor logitsTV, Tensor labelsT, Tensor weightsT, Tensor lossSum1) {
        loss(logitsTV, labelsT, weightsT, 0, lossSum1, false);
    }

    @Override
    public void crossEntropyWithGradient(
            Queue queue, Tensor logitsTV, Tensor labelsT, Tensor weightsT, double gradientScale, Tensor lossSum1) {
        loss(logitsTV, labelsT, weightsT, gradientScale, lossSum1, true);
    }

    private static void loss(
            Tensor logitsTV,
            Tensor labelsT,
            Tensor weightsT,
            double gradientScale,
            Tensor lossSum1,
            boolean withGradient) {
        ScalarTensor logits = ScalarTensor.of("logitsTV", logitsTV);
        long tokens = logitsTV.shape().rows();
        long columns = logitsTV.shape().dim(-1);
        ScalarTensor labels = ScalarOperands.tokens("labelsT", labelsT, tokens);
        ScalarTensor weights = ScalarOperands.floating("weightsT", weightsT, tokens);
        ScalarTensor sum = ScalarOperands.floating("lossSum1", lossSum1, 1);
        for (long token = 0; token < tokens; token++) {
            long first = token * columns;
            long label = (long) labels.get(token);
            double maximum = maximum(logits, first, columns);
            double exponentials = exponentials(logits, first, columns, maximum);
            double weight = weights.get(token);
            ScalarOperands.add(sum, 0, weight * (Math.log(exponentials) - (logits.get(first + label) - maximum)));
            for (long v = 0; withGradient && v < columns; v++) {
                double probability = Math.exp(logits.get(first + v) - maximum) / exponentials;
                logits.set(first + v, gradientScale * weight * (probability - (v == label ? 1 : 0)));
            }
        }
    }

    @Override
    public void maximum(Queue queue, Tensor logitsTV, Tensor maximumT) {
        ScalarTensor logits = ScalarTensor.of("logitsTV", logitsTV);
        long columns = logitsTV.shape().dim(-1);
        ScalarTensor maximum =
                ScalarOperands.floating("maximumT", maximumT, logitsTV.shape().rows());
        for (long token = 0; token < maximum.elements(); token++) {
            maximum.set(token, maximum(logits, token * columns, columns));
        }
    }

    @Override
    public void partialSums(
            Queue queue, Tensor logitsTV, Tensor labelsT, int firstToken, Tensor maximumT, Tensor sums2T) {
        ScalarTensor logits = ScalarTensor.of("logitsTV", logitsTV);
        long tokens = logitsTV.shape().rows();
        long columns = logitsTV.shape().dim(-1);
        ScalarTensor labels = ScalarOperands.tokens("labelsT", labelsT, tokens);
        ScalarTensor maximum = ScalarOperands.floating("maximumT", maximumT, tokens);
        ScalarTensor sums = ScalarOperands.floating("sums2T", sums2T, 2 * tokens);
        for (long token = 0; token < tokens; token++) {
            long label = (long) labels.get(token) - firstToken;
            boolean isHere = label >= 0 && label < columns;
            sums.set(token, exponentials(logits, token * columns, columns, maximum.get(token)));
            sums.set(tokens + token, isHere ? logits.get(token * columns + label) - maximum.get(token) : 0);
        }
    }

    @Override
    public void lossOfSums(Queue queue, Tensor sums2T, Tensor weightsT, Tensor lossSum1) {
        ScalarTensor weights = ScalarTensor.of("weightsT", weightsT);
        ScalarTensor sums = ScalarOperands.floating("sums2T", sums2T, 2 * weights.elements());
        ScalarTensor loss = ScalarOperands.floating("lossSum1", lossSum1, 1);
        for (long token = 0; token < weights.elements(); token++) {
            ScalarOperands.add(
                    loss, 0, weights.get(token) * (Math.log(sums.get(token)) - sums.get(weights.elements() + token)));
        }
    }

    @Override
    public void gradientOfSums(
            Queue queue,
            Tensor logitsTV,
            Tensor labelsT,
            int firstToken,
            Tensor maximumT,
            Tensor sums2T,
            Tensor weightsT,
            double gradientScale) {
        ScalarTensor logits = ScalarTensor.of("logitsTV", logitsTV);
        long tokens = logitsTV.shape().rows();
        long columns = logitsTV.shape().dim(-1);
        ScalarTensor labels = ScalarOperands.tokens("labelsT", labelsT, tokens);
        ScalarTensor maximum = ScalarOperands.floating("maximumT", maximumT, tokens);
        ScalarTensor sums = ScalarOperands.floating("sums2T", sums2T, 2 * tokens);
        ScalarTensor weights = ScalarOperands.floating("weightsT", weightsT, tokens);
        for (long i = 0; i < logits.elements(); i++) {
            long token = i / columns;
            double probability = Math.exp(logits.get(i) - maximum.get(token)) / sums.get(token);
            boolean isLabel = (long) labels.get(token) - firstToken == i % columns;
            logits.set(i, gradientScale * weights.get(token) * (probability - (isLabel ? 1 : 0)));
        }
    }

    private static double maximum(ScalarTensor logits, long first, long columns) {
        double maximum = Double.NEGATIVE_INFINITY;
        for (long v = first; v < first + columns; v++) {
            maximum = Math.max(maximum, logits.get(v));
        }
        return maximum;
    }

    private static double exponentials(ScalarTensor logits, long first, long columns, double maximum) {
        double sum = 0;
        for (long v = first; v < first + columns; v++) {
            sum += Math.exp(logits.get(v) - maximum);
        }
        return sum;
    }
}
