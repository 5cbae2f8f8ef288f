package io.hirundo.optimizer;

import io.hirundo.device.Queue;
import io.hirundo.model.Parameter;
import io.hirundo.tensor.Tensor;
import java.util.List;
import org.osgi.annotation.versioning.ConsumerType;

/** The optimizer state of one run. */
@ConsumerType
public interface OptimizerRun extends AutoCloseable {
  /**
   * A tensor of state, of its parameter's shape.
   *
   * @param parameter what it belongs to
   * @param name {@code exp_avg} for instance, as PyTorch calls it
   * @param tensor lent; for saving and loading
   */
  record State(Parameter parameter, String name, Tensor tensor) {}

  /**
   * Updates every parameter from its gradient.
   *
   * @param step counts from 1
   * @param gradientCoefficient1 FP64 scalar on the device that gradients are multiplied with, the clip coefficient
   */
  void step(Queue queue, long step, double learningRate, Tensor gradientCoefficient1);

  List<State> state();

  @Override
  void close();
}
