package io.hirundo.optimizeradamw.internal.adamw;

import io.hirundo.model.Parameter;
import io.hirundo.optimizer.OptimizerRun.State;
import io.hirundo.tensor.Tensor;
import java.util.stream.Stream;

/**
 * The moments of one parameter, which it owns.
 *
 * @param first running mean of gradients, of the parameter's shape and type
 * @param second running mean of squared gradients, likewise
 */
record Moments(Parameter parameter, Tensor first, Tensor second) implements ParameterState {
  /** Named as in PyTorch's AdamW. */
  @Override
  public Stream<State> state() {
    return Stream.of(new State(parameter, "exp_avg", first), new State(parameter, "exp_avg_sq", second));
  }

  @Override
  public void close() {
    first.close();
    second.close();
  }
}
