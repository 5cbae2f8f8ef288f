package io.hirundo.trainer.internal.step;

import io.hirundo.ConfigurationException;
import io.hirundo.device.Device;
import io.hirundo.model.Parameter;
import io.hirundo.optimizer.Optimizer;
import io.hirundo.optimizer.OptimizerRun;
import io.hirundo.optimizer.OptimizerRun.State;
import io.hirundo.optimizer.StateSpec;
import io.hirundo.trainer.internal.step.OptimizerState.Key;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/** Compares the state of an optimizer with what it declares: other state would be lost silently when a run resumes. */
public final class DeclaredState {
  private DeclaredState() {}

  /**
   * Binds the optimizer. The caller closes the result.
   *
   * @throws ConfigurationException if it declares its state, and lists other tensors
   */
  public static OptimizerRun bind(Optimizer optimizer, Device device, List<Parameter> parameters) {
    OptimizerRun run = optimizer.bind(device, parameters);
    try {
      require(optimizer, parameters, run.state());
      return run;
    } catch (RuntimeException | Error failure) {
      run.close();
      throw failure;
    }
  }

  private static void require(Optimizer optimizer, List<Parameter> parameters, List<State> listed) {
    for (Parameter parameter : parameters) {
      Optional<List<StateSpec>> declared = declared(optimizer, parameter);
      if (declared.isEmpty()) {
        continue;
      }
      var expected = new TreeSet<String>();
      declared.get().forEach(spec -> expected.add(spec.name() + " " + parameter.value().shape() + " " + spec.dtype()));
      var actual = new TreeSet<String>();
      listed.stream()
          .filter(state -> isOf(state, parameter))
          .forEach(state -> actual.add(state.name() + " " + state.tensor().shape() + " " + state.tensor().dtype()));
      if (!expected.equals(actual)) {
        throw new ConfigurationException(
            "optimizer: it declares the state " + expected + " for " + parameter.spec().name() + ", and keeps " + actual
                + ", so a resumed run would differ; choose another optimizer, or correct its declaredState()");
      }
    }
  }

  private static boolean isOf(State state, Parameter parameter) {
    return state.parameter().spec().name().equals(parameter.spec().name())
        && state.parameter().firstElement() == parameter.firstElement();
  }

  /** The state tensors whose zeros are right before step 1 alone. */
  static Set<Key> counting(Optimizer optimizer, List<Parameter> parameters) {
    return parameters.stream()
        .flatMap(
            parameter ->
                declared(optimizer, parameter).orElse(List.of()).stream()
                    .filter(StateSpec::countsSteps)
                    .map(spec -> OptimizerState.key(parameter, spec.name())))
        .collect(Collectors.toSet());
  }

  private static Optional<List<StateSpec>> declared(Optimizer optimizer, Parameter parameter) {
    return optimizer.declaredState(parameter.spec(), parameter.value().dtype());
  }
}
