package io.hirundo.trainer.internal.layer;

import io.hirundo.device.Queue;
import io.hirundo.model.Parameter;
import io.hirundo.precision.LinearMath;
import io.hirundo.precision.PreparedWeight;

/** A weight together with the mathematics of its layer and what that prepared from it. */
final class PreparedLinear implements AutoCloseable {
  private final Parameter weight;
  private final LinearMath math;
  private PreparedWeight prepared;

  PreparedLinear(Parameter weight, LinearMath math) {
    this.weight = weight;
    this.math = math;
  }

  Parameter weight() {
    return weight;
  }

  LinearMath math() {
    return math;
  }

  PreparedWeight prepared() {
    return prepared;
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
