package io.hirundo.optimizeradamw.internal.adamw;

import io.hirundo.device.Device;
import io.hirundo.lib.optimizer.AdamWUpdate;
import io.hirundo.lib.optimizer.StateTensors;
import io.hirundo.model.Parameter;
import io.hirundo.model.ParameterSpec;
import io.hirundo.optimizer.Optimizer;
import io.hirundo.optimizer.OptimizerRun;
import io.hirundo.optimizer.StateSpec;
import io.hirundo.tensor.DType;
import java.util.List;
import java.util.Optional;

/** AdamW with its hyperparameters. */
record AdamW(AdamWOptions options) implements Optimizer {
  @Override
  public Optional<List<StateSpec>> declaredState(ParameterSpec parameter, DType dtype) {
    return Optional.of(AdamWUpdate.state(dtype));
  }

  @Override
  public OptimizerRun bind(Device device, List<Parameter> parameters) {
    var update = new AdamWUpdate(options.beta1(), options.beta2(), options.epsilon(), options.weightDecay());
    var moments = StateTensors.zeros(device, parameters, this);
    return new AdamWRun(update, device.kernels().optimizer(), List.copyOf(parameters), moments);
  }
}
