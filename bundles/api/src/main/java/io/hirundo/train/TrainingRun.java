package io.hirundo.train;

import io.hirundo.device.Device;
import io.hirundo.event.TrainingEvent.StepMetrics;
import io.hirundo.model.Parameter;
import java.util.List;
import org.osgi.annotation.versioning.ProviderType;

/** A prepared run of one rank, for embedding and tests. Belongs to the thread that prepared it. */
@ProviderType
public interface TrainingRun extends AutoCloseable {
  /** Does one step and returns its figures. */
  StepMetrics step();

  /** Mean validation loss in nats. */
  double evaluate();

  List<Parameter> parameters();

  Device device();

  @Override
  void close();
}
