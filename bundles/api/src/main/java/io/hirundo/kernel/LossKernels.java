package io.hirundo.kernel;

import io.hirundo.device.Queue;
import io.hirundo.tensor.Tensor;
import org.osgi.annotation.versioning.ConsumerType;

/**
 * Softmax cross-entropy over the vocabulary, whole, or split over ranks that hold {@code V} columns of it each, beginning
 * with token {@code firstToken} (Shoeybi et al. 2019, arXiv 1909.08053): each rank takes its rows' {@link #maximum}, the
 * ranks agree on the largest; each takes its {@link #partialSums}, and the ranks add them up; {@link #lossOfSums} and {@link
 * #gradientOfSums} do the rest without further messages. Statistics are FP32 (FP64 with FP64 logits).
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
   * As {@link #crossEntropy}, and replaces the logits by their gradient {@code gradientScale weight (softmax - onehot)}.
   *
   * @param gradientScale one over the global number of tokens that count
   */
  void crossEntropyWithGradient(
      Queue queue, Tensor logitsTV, Tensor labelsT, Tensor weightsT, double gradientScale, Tensor lossSum1);

  /** The largest logit of each token among these columns. */
  void maximum(Queue queue, Tensor logitsTV, Tensor maximumT);

  /**
   * What these columns add to each token's sums.
   *
   * @param maximumT largest logit of each token over the whole vocabulary
   * @param sums2T [2, T]: first {@code sum exp(logit - maximum)}, then {@code logits[label] - maximum}, 0 where the label is
   *     another rank's
   */
  void partialSums(Queue queue, Tensor logitsTV, Tensor labelsT, int firstToken, Tensor maximumT, Tensor sums2T);

  /**
   * {@code lossSum += sum over tokens of weight (log sums[0] - sums[1])}.
   *
   * @param sums2T of the whole vocabulary
   */
  void lossOfSums(Queue queue, Tensor sums2T, Tensor weightsT, Tensor lossSum1);

  /**
   * Replaces the logits by their gradient {@code gradientScale weight (exp(logit - maximum) / sums[0] - onehot)}.
   *
   * @param sums2T of the whole vocabulary
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
