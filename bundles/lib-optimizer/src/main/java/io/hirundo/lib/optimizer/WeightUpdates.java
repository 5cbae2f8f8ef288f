package io.hirundo.lib.optimizer;

import io.hirundo.device.Device;
import io.hirundo.device.Queue;
import io.hirundo.kernel.optimizer.StochasticRoundingKernels;
import io.hirundo.model.parameter.Parameter;
import io.hirundo.tensor.DType;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;

/**
 * Runs an optimizer's update on the weights where they are or, if they are BF16, on an FP32 copy of some of them at a time, which is then rounded.
 * Confined to the rank's thread.
 */
public final class WeightUpdates implements AutoCloseable {
    /** Null where weights are updated in place. */
    private final CopiedWeights copied;

    private WeightUpdates(CopiedWeights copied) {
        this.copied = copied;
    }

    /** The dtype of updates and moments for weights of this dtype. */
    public static DType type(DType parameterType) {
        return Parameter.updateType(parameterType);
    }

    /** The kernel families that {@link #of} looks up, for weights of this dtype. */
    public static Set<Class<?>> kernels(DType parameterType, WeightRounding rounding) {
        return parameterType == DType.BF16 && rounding.isStochastic()
                ? Set.of(StochasticRoundingKernels.class)
                : Set.of();
    }

    /** The setting of an optimizer with which {@link #of} needs no kernels of this family. */
    public static Optional<String> settingWithout(Class<?> family) {
        return family == StochasticRoundingKernels.class
                ? Optional.of("optimizer.options.bf16Rounding=nearest")
                : Optional.empty();
    }

    /**
     * Allocates the copy if weights are BF16: 16 MiB, or less for few weights. The caller closes the result.
     *
     * @param parameters all that a rank owns; of one dtype
     * @throws io.hirundo.ConfigurationException if the device has no stochastic rounding
     */
    public static WeightUpdates of(Device device, List<Parameter> parameters, WeightRounding rounding) {
        boolean isInPlace = parameters.stream().allMatch(each -> each.value().dtype() != DType.BF16);
        return new WeightUpdates(isInPlace ? null : CopiedWeights.of(device, parameters, rounding));
    }

    /**
     * Updates runs. An element's result does not depend on the elements that are updated with it.
     *
     * @param step of the update, for the random bits
     * @param update called for some pieces at a time, which it updates on the queue
     */
    public void run(Queue queue, long step, List<Parameter> runs, Consumer<List<UpdatePiece>> update) {
        if (copied == null) {
            update.accept(runs.stream().map(UpdatePiece::inPlace).toList());
        } else {
            copied.run(queue, step, runs, update);
        }
    }

    @Override
    public void close() {
        if (copied != null) {
            copied.close();
        }
    }
}
