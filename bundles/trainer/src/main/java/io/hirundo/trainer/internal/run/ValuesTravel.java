package io.hirundo.trainer.internal.run;

import io.hirundo.device.Device;
import io.hirundo.device.DeviceInfo;
import io.hirundo.device.Queue;
import io.hirundo.model.ModelSpec;
import io.hirundo.precision.LinearMath;
import io.hirundo.precision.LinearShape;
import io.hirundo.precision.ParityBound;
import io.hirundo.precision.PrecisionStrategy;
import io.hirundo.precision.PreparedWeight;
import io.hirundo.precision.Support;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Tensor;

/** A precision that computes as another one does, but sends nothing between ranks in fewer bits than it has: to compare bytes. */
record ValuesTravel(PrecisionStrategy precision) implements PrecisionStrategy {
  @Override
  public PrecisionStrategy forModel(ModelSpec model) {
    return new ValuesTravel(precision.forModel(model));
  }

  @Override
  public DType parameterType() {
    return precision.parameterType();
  }

  @Override
  public DType activationType() {
    return precision.activationType();
  }

  @Override
  public Support supports(DeviceInfo device, LinearShape shape) {
    return precision.supports(device, shape);
  }

  @Override
  public Support supportsPieces(long tokens) {
    return precision.supportsPieces(tokens);
  }

  @Override
  public LinearMath bind(Device device, LinearShape shape) {
    return new Products(precision.bind(device, shape));
  }

  @Override
  public String describe(LinearShape shape) {
    return precision.describe(shape);
  }

  @Override
  public ParityBound parity() {
    return precision.parity();
  }

  /** No more than every precision has. */
  private record Products(LinearMath math) implements LinearMath {
    @Override
    public PreparedWeight prepare(Queue queue, Tensor wNK, PreparedWeight reuse) {
      return math.prepare(queue, wNK, reuse);
    }

    @Override
    public void forward(Queue queue, Tensor xTK, PreparedWeight weight, Tensor yTN) {
      math.forward(queue, xTK, weight, yTN);
    }

    @Override
    public void inputGradient(Queue queue, Tensor dyTN, PreparedWeight weight, Tensor dxTK) {
      math.inputGradient(queue, dyTN, weight, dxTK);
    }

    @Override
    public void weightGradient(Queue queue, Tensor dyTN, Tensor xTK, Tensor dwNK) {
      math.weightGradient(queue, dyTN, xTK, dwNK);
    }

    @Override
    public void trial(boolean on) {
      math.trial(on);
    }

    @Override
    public void close() {
      math.close();
    }
  }
}
