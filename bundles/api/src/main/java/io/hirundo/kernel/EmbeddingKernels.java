package io.hirundo.kernel;

import io.hirundo.device.Queue;
import io.hirundo.tensor.Tensor;
import org.osgi.annotation.versioning.ConsumerType;

/**
 * Embedding lookup. The table holds rows {@code [firstToken, firstToken + V)} of the vocabulary, so that the vocabulary can be
 * sharded over ranks. A token outside gives a zero row and no gradient. With BF16 activations the table and its gradient may be
 * FP32.
 */
@ConsumerType
public interface EmbeddingKernels {
    void forward(Queue queue, Tensor tokensT, int firstToken, Tensor tableVC, Tensor yTC);

    /** {@code dTable[token] += dy}, in token order. */
    void backward(Queue queue, Tensor dyTC, Tensor tokensT, int firstToken, Tensor dTableVC);
}
