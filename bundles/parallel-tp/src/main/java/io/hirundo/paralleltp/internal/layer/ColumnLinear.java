package io.hirundo.paralleltp.internal.layer;

import io.hirundo.model.layer.LinearLayer;
import io.hirundo.model.layer.StepContext;
import io.hirundo.model.parameter.Parameter;
import io.hirundo.parallel.LocalMatrix;
import io.hirundo.paralleltp.internal.residual.PartialSums;
import io.hirundo.paralleltp.internal.residual.ResidualStream;
import io.hirundo.precision.GradientPair;
import io.hirundo.tensor.Shape;
import io.hirundo.tensor.Tensor;
import java.util.List;

/**
 * A layer split by its outputs: all rows come in from the residual stream, this rank's columns of all rows go out. Suffix R:
 * this rank's rows of the residual stream.
 *
 * @param bulk whether the backward's messages run under its two products
 */
record ColumnLinear(GatheredMatrix gathered, boolean bulk) implements LinearLayer {
    @Override
    public List<Parameter> parameters() {
        return List.of(matrix().weight());
    }

    @Override
    public Tensor forward(StepContext context, Tensor xRK) {
        long tokens = xRK.shape().dim(0) * stream().shards();
        Tensor yTN = context.allocate(
                Shape.of(tokens, matrix().weight().spec().shape().dim(0)));
        gathered.forward(context, xRK, yTN);
        return yTN;
    }

    @Override
    public Tensor backwardInput(StepContext context, Tensor dyTN) {
        return stream()
                .multiplyAndSum(
                        context,
                        dyTN,
                        matrix()::inputGradient,
                        matrix().weight().spec().shape().dim(1));
    }

    @Override
    public void backwardWeight(StepContext context, Tensor dyTN, Tensor xRK) {
        gathered.gatherInput(context, xRK).with(dyTN);
    }

    @Override
    public Tensor backward(StepContext context, Tensor dyTN, Tensor xRK) {
        if (!bulk) {
            return LinearLayer.super.backward(context, dyTN, xRK);
        }
        var weightGradient = gathered.gatherInputOfBoth(context, xRK);
        Tensor dxRK = context.allocate(xRK.shape());
        PartialSums dx = stream().sums(context, dxRK);
        try (GradientPair gradients = matrix().gradients(context.queue(), dyTN)) {
            gradients.input(dx.terms());
            dx.begin();
            weightGradient.with(gradients);
        }
        dx.finish();
        return dxRK;
    }

    private LocalMatrix matrix() {
        return gathered.matrix();
    }

    private ResidualStream stream() {
        return gathered.stream();
    }
}
