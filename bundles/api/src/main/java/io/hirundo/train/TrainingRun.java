package io.hirundo.train;

import io.hirundo.device.Device;
import io.hirundo.device.MemoryCategory;
import io.hirundo.event.TrainingEvent.FingerprintsTaken;
import io.hirundo.event.TrainingEvent.StepMetrics;
import io.hirundo.model.parameter.Parameter;
import io.hirundo.tensor.DType;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.osgi.annotation.versioning.ProviderType;

/**
 * A prepared run of one rank, for embedding and tests. Confined to the thread that prepared it. Lent objects must not be used
 * after it is closed.
 */
@ProviderType
public interface TrainingRun extends AutoCloseable {
    /**
     * Runs the next optimizer step and returns its metrics when all its work has ended. A NaN loss is returned, not thrown.
     *
     * @throws IllegalStateException if all configured steps are done
     * @throws io.hirundo.DataException if a sample cannot be read or has a token outside the vocabulary
     * @throws io.hirundo.DeviceException if the device fails; then the run can only be closed
     */
    StepMetrics step();

    /**
     * Mean loss in nats over the first validation samples of {@code data.source}, the same samples each time. Changes nothing.
     *
     * @throws io.hirundo.ConfigurationException if the data has no validation split
     */
    double evaluate();

    /** The model's parameters in declaration order; lent. */
    List<Parameter> parameters();

    /** The compute device, lent; it closes with the run. */
    Device device();

    /** The complete configuration, including defaults, as JSON values. */
    default Map<String, Object> settings() {
        return Map.of();
    }

    /** What its precision says that it multiplies in, {@link io.hirundo.precision.PrecisionStrategy#operandTypes}. */
    default Set<DType> operandTypes() {
        return Set.of();
    }

    /** Fingerprints of the last step; empty if {@code fingerprints.steps} does not select it. */
    default Optional<FingerprintsTaken> fingerprints() {
        return Optional.empty();
    }

    /** Peak memory so far, in bytes, by category, for each rank of this process in rank order. */
    default List<Map<MemoryCategory, Long>> peakBytes() {
        return List.of();
    }

    /** Releases device, memory and data. */
    @Override
    void close();
}
