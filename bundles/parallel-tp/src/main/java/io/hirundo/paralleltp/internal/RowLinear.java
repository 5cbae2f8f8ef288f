package io.hirundo.paralleltp.internal;

import io.hirundo.model.LinearLayer;
import io.hirundo.model.LocalMatrix;
import io.hirundo.model.Parameter;
import io.hirundo.model.StepContext;
import io.hirundo.tensor.Shape;
import io.hirundo.tensor.Tensor;
import java.util.List;

/**
 * A layer split by its inputs: this rank's columns of all rows come in, and what the ranks make of theirs is summed into the
 * residual stream. Suffix R: this rank's rows of the residual stream.
 */
record RowLinear(LocalMatrix matrix, ResidualStream stream) implements LinearLayer {
  @Override
  public List<Parameter> parameters() {
    return List.of(matrix.weight());
  }

  @Override
  public Tensor forward(StepContext context, Tensor xTK) {
    return stream.multiplyAndSum(context, xTK, matrix::forward, matrix.weight().spec().shape().dim(0));
  }

  @Override
  public Tensor backwardInput(StepContext context, Tensor dyRN) {
    Tensor dxTK = inputGradientOf(context, dyRN);
    stream.multiply(context, dyRN, matrix::inputGradient, dxTK).close();
    return dxTK;
  }

  @Override
  public void backwardWeight(StepContext context, Tensor dyRN, Tensor xTK) {
    Gathering dy = stream.gather(context, dyRN);
    matrix.weightGradient(context.queue(), dy.whole(), xTK);
    dy.close();
  }

  /** Gathers once for both products. */
  @Override
  public Tensor backward(StepContext context, Tensor dyRN, Tensor xTK) {
    Tensor dxTK = inputGradientOf(context, dyRN);
    Gathering dy = stream.multiply(context, dyRN, matrix::inputGradient, dxTK);
    matrix.weightGradient(context.queue(), dy.whole(), xTK);
    dy.close();
    return dxTK;
  }

  private Tensor inputGradientOf(StepContext context, Tensor dyRN) {
    long tokens = dyRN.shape().dim(0) * stream.shards();
    return context.allocate(Shape.of(tokens, matrix.weight().spec().shape().dim(1)));
  }
}
