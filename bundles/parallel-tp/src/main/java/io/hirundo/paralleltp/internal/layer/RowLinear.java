package io.hirundo.paralleltp.internal.layer;

import io.hirundo.model.layer.LinearLayer;
import io.hirundo.model.layer.StepContext;
import io.hirundo.model.parameter.Parameter;
import io.hirundo.parallel.LocalMatrix;
import io.hirundo.paralleltp.internal.residual.GatherBuffers;
import io.hirundo.paralleltp.internal.residual.Gathering;
import io.hirundo.paralleltp.internal.residual.ResidualStream;
import io.hirundo.tensor.Shape;
import io.hirundo.tensor.Tensor;
import java.util.List;

/**
 * A layer split by its inputs: this rank's columns of all rows come in, and what the ranks make of theirs is summed into the
 * residual stream. Suffix R: this rank's rows of the residual stream.
 */
record RowLinear(GatheredMatrix gathered) implements LinearLayer {
    @Override
    public List<Parameter> parameters() {
        return List.of(matrix().weight());
    }

    @Override
    public Tensor forward(StepContext context, Tensor xTK) {
        return stream()
                .multiplyAndSum(
                        context,
                        xTK,
                        matrix()::forward,
                        matrix().weight().spec().shape().dim(0));
    }

    @Override
    public Tensor backwardInput(StepContext context, Tensor dyRN) {
        Tensor dxTK = inputGradientOf(context, dyRN);
        gathered.inputGradient(context, dyRN, dxTK);
        return dxTK;
    }

    @Override
    public void backwardWeight(StepContext context, Tensor dyRN, Tensor xTK) {
        gathered.gatherOutputGradient(context, dyRN).with(xTK);
    }

    /**
     * Gathers once for both products, as values always: each of them quantizes along another dimension, and codes for both would be
     * more bytes than values in BF16.
     */
    @Override
    public Tensor backward(StepContext context, Tensor dyRN, Tensor xTK) {
        Tensor dxTK = inputGradientOf(context, dyRN);
        var buffers = GatherBuffers.of(context, stream(), dyRN);
        Gathering<Tensor> dy = stream().multiply(context, buffers, matrix()::inputGradient, dxTK);
        matrix().weightGradient(context.queue(), dy.whole(), xTK);
        dy.close();
        return dxTK;
    }

    private Tensor inputGradientOf(StepContext context, Tensor dyRN) {
        long tokens = dyRN.shape().dim(0) * stream().shards();
        return context.allocate(
                Shape.of(tokens, matrix().weight().spec().shape().dim(1)));
    }

    private LocalMatrix matrix() {
        return gathered.matrix();
    }

    private ResidualStream stream() {
        return gathered.stream();
    }
}
