package io.hirundo.optimizerlion.internal;

import io.hirundo.device.Device;
import io.hirundo.device.MemoryCategory;
import io.hirundo.lib.optimizer.ArithmeticOf;
import io.hirundo.lib.optimizer.StateTensors;
import io.hirundo.lib.optimizer.WeightUpdates;
import io.hirundo.model.parameter.Parameter;
import io.hirundo.model.parameter.ParameterSpec;
import io.hirundo.optimizer.Optimizer;
import io.hirundo.optimizer.OptimizerRun;
import io.hirundo.optimizer.StateSpec;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Shape;
import io.hirundo.tensor.Tensor;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Lion (Chen et al. 2023, arXiv 2302.06675) with its hyperparameters. */
record Lion(LionOptions options) implements Optimizer {
    /** Named as in the authors' implementation. Running mean of gradients. */
    static final String MEAN = "exp_avg";

    /** The update is computed for so many elements at a time: a few MiB of scratch memory, which also fit into the cache of a GPU. */
    static final long MAX_RUN = 1 << 20;

    @Override
    public Optional<List<StateSpec>> declaredState(ParameterSpec parameter, DType dtype) {
        return Optional.of(List.of(new StateSpec(MEAN, WeightUpdates.type(dtype))));
    }

    @Override
    public boolean updates(DType parameterType) {
        return true;
    }

    @Override
    public Set<Class<?>> kernels(DType parameterType) {
        return ArithmeticOf.families(parameterType, options.rounding());
    }

    @Override
    public Optional<String> settingWithout(Class<?> family) {
        return WeightUpdates.settingWithout(family);
    }

    @Override
    public OptimizerRun bind(Device device, List<Parameter> parameters) {
        var arithmetic = ArithmeticOf.device(device, "lion");
        StateTensors means = StateTensors.zeros(device, parameters, this);
        WeightUpdates updates = null;
        try {
            updates = WeightUpdates.of(device, parameters, options.rounding());
            return new LionRun(options, arithmetic, updates, parameters, means, scratch(device, parameters));
        } catch (RuntimeException | Error failure) {
            if (updates != null) {
                updates.close();
            }
            means.close();
            throw failure;
        }
    }

    /** As long as the longest run; empty for a rank that owns nothing. All parameters of a run have one dtype. */
    private static Optional<Tensor> scratch(Device device, List<Parameter> parameters) {
        return parameters.stream()
                .mapToLong(parameter -> Math.min(MAX_RUN, parameter.value().elements()))
                .max()
                .stream()
                .mapToObj(elements -> device.allocate(
                        MemoryCategory.WORKSPACE,
                        Shape.of(elements),
                        WeightUpdates.type(parameters.getFirst().value().dtype())))
                .findFirst();
    }
}
