package io.hirundo.optimizer;

import io.hirundo.device.Device;
import io.hirundo.model.Parameter;
import java.util.List;
import org.osgi.annotation.versioning.ConsumerType;

/** An update rule with its hyperparameters. Strategy kind {@code optimizer}. */
@ConsumerType
public interface Optimizer {
  /** Allocates state, all zero, for the parameters. The caller closes it. */
  OptimizerRun bind(Device device, List<Parameter> parameters);
}
