package io.hirundo.kernel;

import io.hirundo.device.Queue;
import io.hirundo.tensor.Tensor;
import org.osgi.annotation.versioning.ConsumerType;

/**
 * Softmax cross-entropy over the vocabulary. With a vocabulary-parallel head each rank holds {@code V} columns of logits, from
 * token {@code firstToken} (Shoeybi et al. 2019, arXiv 1909.08053). Each rank computes {@link #maximum}, which is all-reduced
 * with MAX, then {@link #partialSums}, which is all-reduced with SUM. {@link #lossOfSums} and {@link #gradientOfSums} need no
 * further collective. Statistics are FP32 (FP64 with FP64 logits).
 */
@ConsumerType
public interface LossKernels {
    /**
     * {@code lossSum += sum over tokens of weight (log sum exp(logits) - logits[label])}.
     *
     * @param labelsT INT32, in [0, V)
     * @param weightsT FP32 loss mask
     * @param lossSum1 FP64 accumulator
     */
    void crossEntropy(Queue queue, Tensor logitsTV, Tensor labelsT, Tensor weightsT, Tensor lossSum1);

    /**
     * Like {@link #crossEntropy}, and overwrites the logits with their gradient {@code gradientScale weight (softmax - onehot)}.
     *
     * @param gradientScale 1 / (unmasked tokens of the global batch)
     */
    void crossEntropyWithGradient(
            Queue queue, Tensor logitsTV, Tensor labelsT, Tensor weightsT, double gradientScale, Tensor lossSum1);

    /** Maximum over this rank's columns for each token. */
    void maximum(Queue queue, Tensor logitsTV, Tensor maximumT);

    /**
     * Partial sums of these columns for each token.
     *
     * @param maximumT maximum logit of each token over the whole vocabulary
     * @param sums2T [2, T]: {@code sum exp(logit - maximum)}, then {@code logits[label] - maximum}, or 0 if another rank holds the
     *     label
     */
    void partialSums(Queue queue, Tensor logitsTV, Tensor labelsT, int firstToken, Tensor maximumT, Tensor sums2T);

    /**
     * {@code lossSum += sum over tokens of weight (log sums[0] - sums[1])}.
     *
     * @param sums2T reduced over the whole vocabulary
     */
    void lossOfSums(Queue queue, Tensor sums2T, Tensor weightsT, Tensor lossSum1);

    /**
     * Overwrites the logits with their gradient {@code gradientScale weight (exp(logit - maximum) / sums[0] - onehot)}.
     *
     * @param sums2T reduced over the whole vocabulary
     */
    void gradientOfSums(
            Queue queue,
            Tensor logitsTV,
            Tensor labelsT,
            int firstToken,
            Tensor maximumT,
            Tensor sums2T,
            Tensor weightsT,
            double gradientScale);
}
