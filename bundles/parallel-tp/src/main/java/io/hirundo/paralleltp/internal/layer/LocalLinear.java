package io.hirundo.paralleltp.internal.layer;

import io.hirundo.model.LinearLayer;
import io.hirundo.model.Parameter;
import io.hirundo.model.StepContext;
import io.hirundo.parallel.LocalMatrix;
import io.hirundo.tensor.Shape;
import io.hirundo.tensor.Tensor;
import java.util.List;

/** A layer that is not split, on this rank's rows of the residual stream. */
public record LocalLinear(LocalMatrix matrix) implements LinearLayer {
  @Override
  public List<Parameter> parameters() {
    return List.of(matrix.weight());
  }

  @Override
  public Tensor forward(StepContext context, Tensor xRK) {
    Tensor yRN = context.allocate(Shape.of(xRK.shape().dim(0), extent(0)));
    matrix.forward(context.queue(), xRK, yRN);
    return yRN;
  }

  @Override
  public Tensor backwardInput(StepContext context, Tensor dyRN) {
    Tensor dxRK = context.allocate(Shape.of(dyRN.shape().dim(0), extent(1)));
    matrix.inputGradient(context.queue(), dyRN, dxRK);
    return dxRK;
  }

  @Override
  public void backwardWeight(StepContext context, Tensor dyRN, Tensor xRK) {
    matrix.weightGradient(context.queue(), dyRN, xRK);
  }

  @Override
  public Tensor backward(StepContext context, Tensor dyRN, Tensor xRK) {
    Tensor dxRK = context.allocate(Shape.of(dyRN.shape().dim(0), extent(1)));
    matrix.bothGradients(context.queue(), dyRN, xRK, dxRK);
    return dxRK;
  }

  private long extent(int dim) {
    return matrix.weight().spec().shape().dim(dim);
  }
}
