package io.hirundo.paralleltp.internal.layer;

import io.hirundo.lib.transformer.EmbeddingScale;
import io.hirundo.model.layer.EmbeddingLayer;
import io.hirundo.model.layer.StepContext;
import io.hirundo.model.parameter.Parameter;
import io.hirundo.paralleltp.internal.residual.Gathering;
import io.hirundo.paralleltp.internal.residual.ResidualStream;
import io.hirundo.tensor.Tensor;
import java.util.List;

/**
 * Embedding whose vocabulary is split: every rank looks up the tokens that it knows and leaves zeros for the others, and the
 * sum is the whole.
 *
 * @param tableVC this rank's rows
 * @param firstToken the first of them
 */
record VocabularyEmbedding(Parameter tableVC, int firstToken, ResidualStream stream, EmbeddingScale scale)
        implements EmbeddingLayer {
    @Override
    public List<Parameter> parameters() {
        return List.of(tableVC);
    }

    @Override
    public Tensor forward(StepContext context) {
        var kernels = context.device().kernels().embedding();
        Tensor yRC = stream.multiplyAndSum(
                context,
                context.batch().tokensT(),
                (queue, tokensT, yTC) -> kernels.forward(queue, tokensT, firstToken, tableVC.value(), yTC),
                tableVC.spec().shape().dim(1));
        scale.apply(context, yRC);
        return yRC;
    }

    @Override
    public void backwardWeight(StepContext context, Tensor dyRC) {
        var kernels = context.device().kernels().embedding();
        Gathering<Tensor> dy = stream.gather(context, dyRC);
        scale.withGradient(
                context,
                dy.whole(),
                scaledTC -> kernels.backward(
                        context.queue(), scaledTC, context.batch().tokensT(), firstToken, tableVC.gradient()));
        dy.close();
    }
}
