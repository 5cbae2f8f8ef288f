package io.hirundo.trainer.internal.layer;

import io.hirundo.model.LinearLayer;
import io.hirundo.model.Parameter;
import io.hirundo.model.StepContext;
import io.hirundo.tensor.Shape;
import io.hirundo.tensor.Tensor;
import java.util.List;

/** A whole linear layer on one rank. */
record PlainLinear(PreparedLinear linear) implements LinearLayer {
  @Override
  public List<Parameter> parameters() {
    return List.of(linear.weight());
  }

  @Override
  public Tensor forward(StepContext context, Tensor xTK) {
    Tensor yTN = context.allocate(Shape.of(xTK.shape().dim(0), weightDim(0)));
    linear.math().forward(context.queue(), xTK, linear.prepared(), yTN);
    return yTN;
  }

  @Override
  public Tensor backwardInput(StepContext context, Tensor dyTN) {
    Tensor dxTK = context.allocate(Shape.of(dyTN.shape().dim(0), weightDim(1)));
    linear.math().inputGradient(context.queue(), dyTN, linear.prepared(), dxTK);
    return dxTK;
  }

  @Override
  public void backwardWeight(StepContext context, Tensor dyTN, Tensor xTK) {
    linear.math().weightGradient(context.queue(), dyTN, xTK, linear.weight().gradient());
  }

  private long weightDim(int dim) {
    return linear.weight().spec().shape().dim(dim);
  }
}
