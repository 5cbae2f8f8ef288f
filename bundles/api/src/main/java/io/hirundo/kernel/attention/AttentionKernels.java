package io.hirundo.kernel.attention;

import io.hirundo.device.Queue;
import io.hirundo.tensor.Tensor;
import org.osgi.annotation.versioning.ConsumerType;

/**
 * Causal grouped-query attention that never materializes the score matrix (FlashAttention-2, Dao 2023, arXiv 2307.08691). Also
 * the rotary embedding before it (Su et al. 2021, arXiv 2104.09864), which pairs channel i with channel i + D/2 as Hugging Face
 * models do. Scores are scaled by {@code 1/sqrt(D)}, or as {@link AttentionOptions} say. A row of {@code qkvTE} is H query heads, G key heads, G value heads.
 */
@ConsumerType
public interface AttentionKernels {
    /**
     * Splits the fused projection into heads and rotates queries and keys by their positions.
     *
     * @param cosPD2 cosines, [positions, D/2], in the dtype of the call or FP32; {@code sinPD2} are the sines
     * @param positionsT INT32, table row of each token
     */
    void splitAndRotate(
            Queue queue,
            Heads heads,
            int sequences,
            Tensor qkvTE,
            Tensor cosPD2,
            Tensor sinPD2,
            Tensor positionsT,
            QueryKeyValue out);

    /** Gradient of {@link #splitAndRotate}: rotates back and concatenates the heads. */
    void rotateBackAndJoin(
            Queue queue,
            Heads heads,
            int sequences,
            QueryKeyValue gradient,
            Tensor cosPD2,
            Tensor sinPD2,
            Tensor positionsT,
            Tensor dqkvTE);

    /** Whether {@link #forward} and {@link #backward} take these options. Layers ask when they are created. */
    default boolean supports(AttentionOptions options) {
        return options.equals(AttentionOptions.NONE);
    }

    /**
     * Writes the output and the natural log-sum-exp of each query's scores.
     *
     * @param outputTHD [B S, H D], token-major
     * @param logSumExpBHS FP32 (FP64 with FP64 operands); minus infinity for a query without keys, whose output is 0
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
     * Merges attention over further keys into earlier results by log-sum-exp, as ring attention does (Liu et al. 2023, arXiv
     * 2310.01889): {@code s = log(exp(l) + exp(lPart))}, {@code output = exp(l - s) output + exp(lPart - s) outputPart}, and s
     * becomes the new {@code logSumExpBHS}. A query without keys so far takes the part unchanged.
     *
     * @param shape of the part; its number of keys is ignored
     * @param partTHD output over the further keys
     * @param partLogSumExpBHS log-sum-exp over the further keys
     */
    void merge(
            Queue queue,
            AttentionShape shape,
            Tensor partTHD,
            Tensor partLogSumExpBHS,
            Tensor outputTHD,
            Tensor logSumExpBHS);
}
