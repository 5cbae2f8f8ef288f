package io.hirundo.testkit.scalar.kernel;

import io.hirundo.device.Queue;
import io.hirundo.kernel.EmbeddingKernels;
import io.hirundo.tensor.Tensor;
import io.hirundo.testkit.scalar.value.ScalarTensor;

/** Scalar embedding lookup. */
final class ScalarEmbedding implements EmbeddingKernels {
    @Override
    public void forward(Queue queue, Tensor tokensT, int firstToken, Tensor tableVC, Tensor yTC) {
        long channels = tableVC.shape().dim(-1);
        ScalarTensor tokens = ScalarOperands.tokens("tokensT", tokensT, yTC.elements() / channels);
        ScalarTensor table = ScalarTensor.of("tableVC", tableVC);
        ScalarTensor y = ScalarTensor.of("yTC", yTC);
        for (long i = 0; i < y.elements(); i++) {
            long row = (long) tokens.get(i / channels) - firstToken;
            y.set(i, isHere(row, table, channels) ? table.get(row * channels + i % channels) : 0);
        }
    }

    @Override
    public void backward(Queue queue, Tensor dyTC, Tensor tokensT, int firstToken, Tensor dTableVC) {
        long channels = dTableVC.shape().dim(-1);
        ScalarTensor tokens = ScalarOperands.tokens("tokensT", tokensT, dyTC.elements() / channels);
        ScalarTensor dTable = ScalarTensor.of("dTableVC", dTableVC);
        ScalarTensor dy = ScalarTensor.of("dyTC", dyTC);
        for (long i = 0; i < dy.elements(); i++) {
            long row = (long) tokens.get(i / channels) - firstToken;
            if (isHere(row, dTable, channels)) {
                ScalarOperands.add(dTable, row * channels + i % channels, dy.get(i));
            }
        }
    }

    private static boolean isHere(long row, ScalarTensor table, long channels) {
        return row >= 0 && row < table.elements() / channels;
    }
}
