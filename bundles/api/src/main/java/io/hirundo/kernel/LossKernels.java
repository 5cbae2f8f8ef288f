package io.hirundo.kernel;

import io.hirundo.device.Queue;
import io.hirundo.tensor.Tensor;
import org.osgi.annotation.versioning.ConsumerType;

/** Softmax cross-entropy over the vocabulary. */
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
}
