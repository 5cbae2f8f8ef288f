package io.hirundo.trainer.internal.layer;

import io.hirundo.device.Queue;
import io.hirundo.model.LocalMatrix;
import io.hirundo.model.Parameter;
import io.hirundo.precision.LinearMath;
import io.hirundo.precision.PreparedWeight;
import io.hirundo.tensor.Tensor;

/** A weight together with the mathematics of its layer and what that prepared from it. */
final class PreparedMatrix implements LocalMatrix, AutoCloseable {
  private final Parameter weight;
  private final LinearMath math;
  private PreparedWeight prepared;

  PreparedMatrix(Parameter weight, LinearMath math) {
    this.weight = weight;
    this.math = math;
  }

  @Override
  public Parameter weight() {
    return weight;
  }

  @Override
  public void forward(Queue queue, Tensor xTK, Tensor yTN) {
    math.forward(queue, xTK, prepared, yTN);
  }

  @Override
  public void inputGradient(Queue queue, Tensor dyTN, Tensor dxTK) {
    math.inputGradient(queue, dyTN, prepared, dxTK);
  }

  @Override
  public void weightGradient(Queue queue, Tensor dyTN, Tensor xTK) {
    math.weightGradient(queue, dyTN, xTK, weight.gradient());
  }

  void prepare(Queue queue) {
    prepared = math.prepare(queue, weight.value(), prepared);
  }

  @Override
  public void close() {
    if (prepared != null) {
      prepared.close();
    }
    math.close();
  }
}
