package io.hirundo.optimizeradamw.internal.adamw;

import io.hirundo.device.Device;
import io.hirundo.lib.optimizer.StateTensors;
import io.hirundo.model.Parameter;
import io.hirundo.model.ParameterSpec;
import io.hirundo.optimizer.Optimizer;
import io.hirundo.optimizer.OptimizerRun;
import io.hirundo.optimizer.StateSpec;
import io.hirundo.tensor.DType;
import java.util.List;
import java.util.Optional;

/** AdamW with its hyperparameters; the formula is that of {@code OptimizerKernels.adamW}. */
record AdamW(AdamWOptions options) implements Optimizer {
  /** Named as in PyTorch's AdamW. Running means of gradients and of squared gradients. */
  static final String FIRST_MOMENT = "exp_avg";

  static final String SECOND_MOMENT = "exp_avg_sq";

  @Override
  public Optional<List<StateSpec>> declaredState(ParameterSpec parameter, DType dtype) {
    // Bias correction assumes that both began at zero before step 1.
    return Optional.of(List.of(new StateSpec(FIRST_MOMENT, dtype, true), new StateSpec(SECOND_MOMENT, dtype, true)));
  }

  @Override
  public OptimizerRun bind(Device device, List<Parameter> parameters) {
    return new AdamWRun(options, device.kernels().optimizer(), parameters, StateTensors.zeros(device, parameters, this));
  }
}
