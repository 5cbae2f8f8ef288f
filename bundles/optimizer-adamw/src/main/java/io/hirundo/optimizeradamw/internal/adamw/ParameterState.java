package io.hirundo.optimizeradamw.internal.adamw;

import io.hirundo.model.Parameter;
import io.hirundo.optimizer.OptimizerRun.State;
import java.util.stream.Stream;

/** The state of one parameter, which it owns. */
sealed interface ParameterState extends AutoCloseable permits Moments, Moments8Bit {
  Parameter parameter();

  /** What is saved. */
  Stream<State> state();

  @Override
  void close();
}
