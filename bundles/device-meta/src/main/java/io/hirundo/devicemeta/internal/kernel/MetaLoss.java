package io.hirundo.devicemeta.internal.kernel;

import io.hirundo.device.Queue;
import io.hirundo.devicemeta.internal.memory.MetaTensor;
import io.hirundo.devicemeta.internal.work.Work;
import io.hirundo.kernel.LossKernels;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Shape;
import io.hirundo.tensor.Tensor;

/**
 * Cross-entropy. Operations per logit: 4, with the gradient 6. Vocabulary-parallel, per logit: maximum 1, partial sums 3,
 * gradient 4, because it recomputes the exponentials. The loss of the sums takes 4 per token.
 */
record MetaLoss(Work work) implements LossKernels {
    @Override
    public void crossEntropy(Queue queue, Tensor logitsTV, Tensor labelsT, Tensor weightsT, Tensor lossSum1) {
        book(queue, "loss.crossEntropy", 4, logitsTV, labelsT, weightsT, lossSum1);
    }

    @Override
    public void crossEntropyWithGradient(
            Queue queue, Tensor logitsTV, Tensor labelsT, Tensor weightsT, double gradientScale, Tensor lossSum1) {
        book(queue, "loss.crossEntropyWithGradient", 6, logitsTV, labelsT, weightsT, lossSum1);
    }

    @Override
    public void maximum(Queue queue, Tensor logitsTV, Tensor maximumT) {
        MetaTensor logits = MetaTensor.CHECK.floating("logitsTV", logitsTV);
        work.book(queue, "loss.maximum", logits.elements(), logits, maximum(logits, maximumT));
    }

    @Override
    public void partialSums(
            Queue queue, Tensor logitsTV, Tensor labelsT, int firstToken, Tensor maximumT, Tensor sums2T) {
        MetaTensor logits = MetaTensor.CHECK.floating("logitsTV", logitsTV);
        MetaTensor labels = labels(logits, labelsT, firstToken);
        MetaTensor maximum = maximum(logits, maximumT);
        work.book(queue, "loss.partialSums", 3 * logits.elements(), logits, labels, maximum, sums(logits, sums2T));
    }

    @Override
    public void lossOfSums(Queue queue, Tensor sums2T, Tensor weightsT, Tensor lossSum1) {
        MetaTensor weights = MetaTensor.CHECK.of("weightsT", weightsT, DType.FP32);
        MetaTensor sums = MetaTensor.CHECK.of("sums2T", sums2T, DType.FP32, DType.FP64);
        MetaTensor.CHECK.exactly("sums2T", sums2T, Shape.of(2, weights.elements()), sums.dtype());
        MetaTensor lossSum = MetaTensor.CHECK.vector("lossSum1", lossSum1, 1, DType.FP64);
        work.book(queue, "loss.lossOfSums", 4 * weights.elements(), sums, weights, lossSum);
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
        MetaTensor logits = MetaTensor.CHECK.floating("logitsTV", logitsTV);
        MetaTensor labels = labels(logits, labelsT, firstToken);
        MetaTensor maximum = maximum(logits, maximumT);
        MetaTensor sums = sums(logits, sums2T);
        MetaTensor weights =
                MetaTensor.CHECK.vector("weightsT", weightsT, logits.shape().rows(), DType.FP32);
        work.book(queue, "loss.gradientOfSums", 4 * logits.elements(), logits, labels, maximum, sums, weights);
    }

    private static MetaTensor labels(MetaTensor logits, Tensor labelsT, int firstToken) {
        if (firstToken < 0) {
            throw new IllegalArgumentException("firstToken is " + firstToken + ", but tokens count from 0");
        }
        return MetaTensor.CHECK.vector("labelsT", labelsT, logits.shape().rows(), DType.INT32);
    }

    private static MetaTensor maximum(MetaTensor logits, Tensor maximumT) {
        return MetaTensor.CHECK.vector(
                "maximumT", maximumT, logits.shape().rows(), logits.dtype().statisticsType());
    }

    private static MetaTensor sums(MetaTensor logits, Tensor sums2T) {
        return MetaTensor.CHECK.exactly(
                "sums2T",
                sums2T,
                Shape.of(2, logits.shape().rows()),
                logits.dtype().statisticsType());
    }

    private void book(
            Queue queue,
            String kernel,
            long operationsPerLogit,
            Tensor logitsTV,
            Tensor labelsT,
            Tensor weightsT,
            Tensor lossSum1) {
        MetaTensor logits = MetaTensor.CHECK.floating("logitsTV", logitsTV);
        long tokens = logits.shape().rows();
        work.book(
                queue,
                kernel,
                operationsPerLogit * logits.elements(),
                logits,
                MetaTensor.CHECK.vector("labelsT", labelsT, tokens, DType.INT32),
                MetaTensor.CHECK.vector("weightsT", weightsT, tokens, DType.FP32),
                MetaTensor.CHECK.vector("lossSum1", lossSum1, 1, DType.FP64));
    }
}
