package io.hirundo.optimizer;

import io.hirundo.device.Device;
import io.hirundo.model.parameter.Parameter;
import io.hirundo.model.parameter.ParameterSpec;
import io.hirundo.tensor.DType;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.osgi.annotation.versioning.ConsumerType;

/** An optimizer with its hyperparameters. Strategy kind {@code optimizer}. */
@ConsumerType
public interface Optimizer {
    /**
     * Whether {@link #bind} needs the parameter in one piece, or gets any run of its elements. A pure function, the same on all ranks. With
     * {@link Ownership#TENSOR} the parameter is passed to {@code bind} of exactly one of the ranks that shard it, as a vector of all its
     * elements from {@link Parameter#firstElement} 0; {@link ParameterSpec#parts} says which matrices these are.
     */
    default Ownership ownership(ParameterSpec parameter) {
        return Ownership.ELEMENTS;
    }

    /**
     * Whether it can update weights of this dtype. BF16 weights have FP32 gradients, and most updates are smaller than half of the distance to
     * the next BF16 number, so an optimizer must round them stochastically, or compensate for the rounding errors. The trainer rejects a
     * precision whose weights the optimizer cannot update.
     *
     * @param parameterType of {@link io.hirundo.precision.PrecisionStrategy#parameterType}
     */
    default boolean updates(DType parameterType) {
        return parameterType != DType.BF16;
    }

    /**
     * The kernel families that {@link #bind} looks up, besides those that every device has. A run is rejected before a device is opened if neither
     * the device nor a bundle has one of them.
     *
     * @param parameterType of the weights, as for {@link #updates}
     */
    default Set<Class<?>> kernels(DType parameterType) {
        return Set.of();
    }

    /**
     * The setting with which this optimizer does not need one of {@link #kernels}, for the error message of a device that lacks it. For instance
     * {@code optimizer.options.eightBitState=false}; empty if there is none.
     */
    default Optional<String> settingWithout(Class<?> family) {
        return Optional.empty();
    }

    /** Allocates zero-initialized state for the parameters. The caller closes the result. */
    OptimizerRun bind(Device device, List<Parameter> parameters);

    /**
     * Declares the state that {@link OptimizerRun#state} lists for a parameter. State that is neither declared nor listed is lost when a
     * run resumes. The trainer rejects an optimizer whose state differs from its declaration.
     *
     * @param dtype of the parameter's values
     * @return empty if the optimizer declares nothing, so that what it lists is not checked
     */
    default Optional<List<StateSpec>> declaredState(ParameterSpec parameter, DType dtype) {
        return Optional.empty();
    }

    /**
     * The other forms of a parameter's state that this optimizer can take over. State in a form that none converts does not load.
     *
     * @param dtype of the parameter's values
     */
    default List<StateConversion> conversions(ParameterSpec parameter, DType dtype) {
        return List.of();
    }
}
