package io.hirundo.train;

import io.hirundo.device.Device;
import io.hirundo.device.MemoryCategory;
import io.hirundo.event.TrainingEvent.FingerprintsTaken;
import io.hirundo.event.TrainingEvent.StepMetrics;
import io.hirundo.model.Parameter;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.osgi.annotation.versioning.ProviderType;

/**
 * A prepared run of one rank, for embedding and tests. Belongs to the thread that prepared it: no other may call it, and what
 * it lends must not be used after it is closed.
 */
@ProviderType
public interface TrainingRun extends AutoCloseable {
  /**
   * Does the next optimizer step and returns its figures, when all its work has ended. A loss that is not a number is returned like
   * any other.
   *
   * @throws IllegalStateException when all steps of the configuration are done
   * @throws io.hirundo.DataException when a sample cannot be read or holds a token outside the vocabulary
   * @throws io.hirundo.DeviceException when the device fails; the run can only be closed then
   */
  StepMetrics step();

  /**
   * Mean loss in nats over the first validation samples of {@code data.source}, the same ones each time. Changes nothing.
   *
   * @throws io.hirundo.ConfigurationException when the data has no validation part
   */
  double evaluate();

  /** The model's parameters in the order of their declaration, lent. */
  List<Parameter> parameters();

  /** The device that computes, lent: it closes with the run. */
  Device device();

  /** The run's complete configuration, defaults written out, as JSON values. */
  default Map<String, Object> settings() {
    return Map.of();
  }

  /** Fingerprints of the last step; empty where {@code fingerprints.steps} does not name it. */
  default Optional<FingerprintsTaken> fingerprints() {
    return Optional.empty();
  }

  /** The highest memory in use so far, in bytes, by category: of each rank in this process, in the order of their numbers. */
  default List<Map<MemoryCategory, Long>> peakBytes() {
    return List.of();
  }

  /** Gives back device, memory and data. */
  @Override
  void close();
}
