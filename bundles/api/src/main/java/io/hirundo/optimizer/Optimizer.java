package io.hirundo.optimizer;

import io.hirundo.device.Device;
import io.hirundo.model.Parameter;
import java.util.List;
import org.osgi.annotation.versioning.ConsumerType;

/** An optimizer with its hyperparameters. Strategy kind {@code optimizer}. */
@ConsumerType
public interface Optimizer {
  /** Allocates zero-initialized state for the parameters. The caller closes the result. */
  OptimizerRun bind(Device device, List<Parameter> parameters);
}
