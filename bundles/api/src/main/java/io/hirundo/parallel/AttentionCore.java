package io.hirundo.parallel;

import io.hirundo.kernel.QueryKeyValue;
import io.hirundo.model.StepContext;
import io.hirundo.tensor.Tensor;
import org.osgi.annotation.versioning.ConsumerType;

/**
 * Causal attention between rotated heads, over sequences whose pieces may lie on several ranks. With P pieces of every
 * sequence on this rank, B sequences and S tokens of each on this rank, a piece has {@code s = S / P} tokens. Suffixes as in
 * {@code io.hirundo.kernel.Kernels}, but B here counts pieces: P times the sequences, in the order of the microbatch. Where the
 * microbatch has document starts, a query sees the keys of its own document alone.
 */
@ConsumerType
public interface AttentionCore {
  /**
   * Attends.
   *
   * @param in this rank's heads: [P B, H, s, D] and [P B, G, s, D]
   * @param outputTHD receives the joined heads
   * @param logSumExpBHS receives, [P B, H, s], the logarithm of each query's sum of exponentials over all its keys
   */
  void forward(StepContext context, QueryKeyValue in, Tensor outputTHD, Tensor logSumExpBHS);

  /** Fills {@code gradient}, shaped as {@code in}, from what the forward had and made. */
  void backward(
      StepContext context,
      Tensor outputGradientTHD,
      QueryKeyValue in,
      Tensor outputTHD,
      Tensor logSumExpBHS,
      QueryKeyValue gradient);
}
