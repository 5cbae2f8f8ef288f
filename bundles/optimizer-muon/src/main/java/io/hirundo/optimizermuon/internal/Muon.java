package io.hirundo.optimizermuon.internal;

import io.hirundo.ConfigurationException;
import io.hirundo.device.Device;
import io.hirundo.lib.optimizer.AdamWUpdate;
import io.hirundo.lib.optimizer.ArithmeticOf;
import io.hirundo.lib.optimizer.StateTensors;
import io.hirundo.lib.optimizer.WeightUpdates;
import io.hirundo.model.parameter.Parameter;
import io.hirundo.model.parameter.ParameterPart;
import io.hirundo.model.parameter.ParameterSpec;
import io.hirundo.optimizer.Optimizer;
import io.hirundo.optimizer.OptimizerRun;
import io.hirundo.optimizer.Ownership;
import io.hirundo.optimizer.StateSpec;
import io.hirundo.tensor.DType;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Muon (Jordan et al. 2024, https://kellerjordan.github.io/posts/muon/), scaled to the update size of AdamW as in Moonlight (Liu et al.
 * 2025, arXiv 2502.16982), with its hyperparameters.
 *
 * @param adamW patterns of the option of this name: a plan asks for the ownership of each parameter on each rank
 * @param report of all ranks of this process
 */
record Muon(MuonOptions options, List<Pattern> adamW, UpdateReport report) implements Optimizer {
    /** PyTorch's name. Sum of gradients, earlier ones fading. */
    static final String MOMENTUM = "momentum_buffer";

    /** Whether Muon updates the parameter; AdamW updates all others. */
    boolean orthogonalizes(ParameterSpec parameter) {
        return parameter.parts().stream().allMatch(part -> part.shape().rank() == 2)
                && adamW.stream().noneMatch(pattern -> matches(pattern, parameter));
    }

    static Muon of(MuonOptions options) {
        return new Muon(options, options.adamW().stream().map(Muon::pattern).toList(), new UpdateReport());
    }

    /** Of a name in which * matches any text. */
    static Pattern pattern(String name) {
        return Pattern.compile(
                Arrays.stream(name.split("\\*", -1)).map(Pattern::quote).collect(Collectors.joining(".*")));
    }

    /** Whether it is the name of a part. */
    static boolean matches(Pattern pattern, ParameterSpec parameter) {
        return parameter.parts().stream()
                .anyMatch(part -> pattern.matcher(part.path()).matches());
    }

    @Override
    public Ownership ownership(ParameterSpec parameter) {
        return orthogonalizes(parameter) ? Ownership.TENSOR : Ownership.ELEMENTS;
    }

    @Override
    public Optional<List<StateSpec>> declaredState(ParameterSpec parameter, DType dtype) {
        return Optional.of(
                orthogonalizes(parameter)
                        ? List.of(new StateSpec(MOMENTUM, WeightUpdates.type(dtype)))
                        : AdamWUpdate.state(dtype));
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
        var arithmetic = ArithmeticOf.device(device, "muon");
        List<Parameter> matrices =
                parameters.stream().filter(each -> orthogonalizes(each.spec())).toList();
        List<Parameter> others =
                parameters.stream().filter(each -> !orthogonalizes(each.spec())).toList();
        matrices.forEach(this::requireComplete);
        List<ParameterPart> parts =
                matrices.stream().flatMap(each -> each.spec().parts().stream()).toList();
        StateTensors states = StateTensors.zeros(device, parameters, this);
        WeightUpdates updates = null;
        try {
            updates = WeightUpdates.of(device, parameters, options.rounding());
            DType dtype = parameters.isEmpty()
                    ? DType.FP32
                    : WeightUpdates.type(parameters.getFirst().value().dtype());
            var newtonSchulz = NewtonSchulz.of(device, arithmetic, parts, dtype);
            report.log(options, matrices, others);
            return new MuonRun(
                    options, device.kernels().optimizer(), arithmetic, newtonSchulz, updates, matrices, others, states);
        } catch (RuntimeException | Error failure) {
            if (updates != null) {
                updates.close();
            }
            states.close();
            throw failure;
        }
    }

    private void requireComplete(Parameter parameter) {
        ParameterSpec spec = parameter.spec();
        if (parameter.value().elements() != spec.shape().elements()) {
            throw new ConfigurationException(
                    "mesh.dataParallel: a rank owns " + parameter.value().elements() + " of the "
                            + spec.shape().elements() + " elements of " + spec.name()
                            + ", and the optimizer muon needs complete matrices; choose a strategy that gives them, such as zero1, zero2 or fsdp");
        }
        for (ParameterPart part : spec.parts()) {
            if (!options.orthogonalizeShards() && !part.shape().equals(part.globalShape())) {
                throw new ConfigurationException(
                        "optimizer.options.orthogonalizeShards: false is wrong where mesh.tensor splits " + part.path()
                                + " " + part.globalShape() + " into shards of " + part.shape()
                                + ", because Muon needs complete matrices; set mesh.tensor=1, or orthogonalize each shard, which is another update, with"
                                + " optimizer.options.orthogonalizeShards=true");
            }
        }
    }
}
