package io.hirundo.parallel;

import io.hirundo.kernel.attention.QueryKeyValue;
import io.hirundo.model.layer.StepContext;
import io.hirundo.tensor.Tensor;
import org.osgi.annotation.versioning.ConsumerType;

/**
 * Causal attention on rotated heads, over sequences that may be sharded over ranks. A rank holds P pieces and S tokens of each of
 * B sequences; a piece has {@code s = S / P} tokens. Shape suffixes as in {@code io.hirundo.kernel.Kernels}, but B here counts
 * pieces: P times the sequences, in microbatch order. If the microbatch has document starts, queries attend only within their own
 * document.
 */
@ConsumerType
public interface AttentionCore {
    /**
     * Computes attention.
     *
     * @param in this rank's heads: [P B, H, s, D] and [P B, G, s, D]
     * @param outputTHD receives the output of all heads
     * @param logSumExpBHS receives the log-sum-exp of each query over all its keys, [P B, H, s]
     */
    void forward(StepContext context, QueryKeyValue in, Tensor outputTHD, Tensor logSumExpBHS);

    /** Writes {@code gradient}, shaped like {@code in}, from the operands and results of the forward. */
    void backward(
            StepContext context,
            Tensor outputGradientTHD,
            QueryKeyValue in,
            Tensor outputTHD,
            Tensor logSumExpBHS,
            QueryKeyValue gradient);
}
