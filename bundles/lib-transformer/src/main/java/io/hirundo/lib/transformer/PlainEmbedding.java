package io.hirundo.lib.transformer;

import io.hirundo.model.layer.EmbeddingLayer;
import io.hirundo.model.layer.StepContext;
import io.hirundo.model.parameter.Parameter;
import io.hirundo.tensor.Shape;
import io.hirundo.tensor.Tensor;
import java.util.List;

/** Embedding with the full vocabulary on one rank. */
record PlainEmbedding(Parameter tableVC, EmbeddingScale scale) implements EmbeddingLayer {
    @Override
    public List<Parameter> parameters() {
        return List.of(tableVC);
    }

    @Override
    public Tensor forward(StepContext context) {
        var batch = context.batch();
        Tensor yTC = context.allocate(
                Shape.of(batch.tokens(), tableVC.value().shape().dim(1)));
        context.device().kernels().embedding().forward(context.queue(), batch.tokensT(), 0, tableVC.value(), yTC);
        scale.apply(context, yTC);
        return yTC;
    }

    @Override
    public void backwardWeight(StepContext context, Tensor dyTC) {
        var embedding = context.device().kernels().embedding();
        scale.withGradient(
                context,
                dyTC,
                scaledTC -> embedding.backward(
                        context.queue(), scaledTC, context.batch().tokensT(), 0, tableVC.gradient()));
    }
}
