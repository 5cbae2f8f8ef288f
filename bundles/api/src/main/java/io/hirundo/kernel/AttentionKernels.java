package io.hirundo.kernel;

import io.hirundo.device.Queue;
import io.hirundo.tensor.Tensor;
import org.osgi.annotation.versioning.ConsumerType;

/**
 * Causal grouped-query attention that never holds a full score matrix (FlashAttention-2, Dao 2023, arXiv 2307.08691), and
 * the rotary embedding in front of it (Su et al. 2021, arXiv 2104.09864; the halves of a head are the pairs, as in Hugging
 * Face models). Scores are scaled by {@code 1/sqrt(D)}. A row of {@code qkvTE} is H query heads, G key heads, G value heads.
 */
@ConsumerType
public interface AttentionKernels {
  /**
   * Splits the fused projection into heads and rotates queries and keys by their positions.
   *
   * @param cosPD2 cosines, [positions, D/2], in the data type of the call or FP32; {@code sinPD2} likewise the sines
   * @param positionsT INT32 row of the tables for each token
   */
  void splitAndRotate(
      Queue queue, Heads heads, int sequences, Tensor qkvTE, Tensor cosPD2, Tensor sinPD2, Tensor positionsT, QueryKeyValue out);

  /** The gradient of {@link #splitAndRotate}: rotates back and joins. */
  void rotateBackAndJoin(
      Queue queue, Heads heads, int sequences, QueryKeyValue gradient, Tensor cosPD2, Tensor sinPD2, Tensor positionsT, Tensor dqkvTE);

  /**
   * Writes the output and the natural logarithm of each query's sum of exponentials.
   *
   * @param outputTHD [B S, H D], token-major
   * @param logSumExpBHS FP32 (FP64 with FP64 operands); minus infinity where a query sees no key, its output then 0
   */
  void forward(Queue queue, AttentionShape shape, QueryKeyValue in, Tensor outputTHD, Tensor logSumExpBHS);

  /** Writes {@code gradient} from the output's gradient, recomputing probabilities from {@code logSumExpBHS}. */
  void backward(
      Queue queue,
      AttentionShape shape,
      Tensor outputGradientTHD,
      QueryKeyValue in,
      Tensor outputTHD,
      Tensor logSumExpBHS,
      QueryKeyValue gradient);

  /**
   * Joins attention over further keys to what was attended so far, as ring attention does (Liu et al. 2023, arXiv
   * 2310.01889): {@code s = log(exp(l) + exp(lPart))}, {@code output = exp(l - s) output + exp(lPart - s) outputPart}, and s
   * becomes the new {@code logSumExpBHS}. A query that has seen no key yet takes the part as it is.
   *
   * @param shape of the part; its key extents do not matter
   * @param partTHD output over the further keys
   * @param partLogSumExpBHS its logarithms
   */
  void merge(
      Queue queue,
      AttentionShape shape,
      Tensor partTHD,
      Tensor partLogSumExpBHS,
      Tensor outputTHD,
      Tensor logSumExpBHS);
}
