package io.hirundo.lib.transformer;

import io.hirundo.model.layer.LinearLayer;
import io.hirundo.model.layer.StepContext;
import io.hirundo.model.parameter.Parameter;
import io.hirundo.parallel.LocalMatrix;
import io.hirundo.tensor.Shape;
import io.hirundo.tensor.Tensor;
import java.util.List;

/**
 * A linear layer that communicates nothing: its weight, [N, K], is complete on this rank.
 *
 * @param matrix the weight with the precision's GEMMs; belongs to the caller
 */
public record PlainLinear(LocalMatrix matrix) implements LinearLayer {
    @Override
    public List<Parameter> parameters() {
        return List.of(matrix.weight());
    }

    @Override
    public Tensor forward(StepContext context, Tensor xTK) {
        Tensor yTN = context.allocate(Shape.of(xTK.shape().dim(0), weightDim(0)));
        matrix.forward(context.queue(), xTK, yTN);
        return yTN;
    }

    @Override
    public Tensor backwardInput(StepContext context, Tensor dyTN) {
        Tensor dxTK = context.allocate(Shape.of(dyTN.shape().dim(0), weightDim(1)));
        matrix.inputGradient(context.queue(), dyTN, dxTK);
        return dxTK;
    }

    @Override
    public void backwardWeight(StepContext context, Tensor dyTN, Tensor xTK) {
        matrix.weightGradient(context.queue(), dyTN, xTK);
    }

    @Override
    public Tensor backward(StepContext context, Tensor dyTN, Tensor xTK) {
        Tensor dxTK = context.allocate(Shape.of(dyTN.shape().dim(0), weightDim(1)));
        matrix.bothGradients(context.queue(), dyTN, xTK, dxTK);
        return dxTK;
    }

    private long weightDim(int dim) {
        return matrix.weight().spec().shape().dim(dim);
    }
}
