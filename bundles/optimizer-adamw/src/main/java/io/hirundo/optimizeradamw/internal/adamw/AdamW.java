package io.hirundo.optimizeradamw.internal.adamw;

import static io.hirundo.kernel.optimizer.AdamW8BitKernels.BLOCK_ELEMENTS;

import io.hirundo.device.Device;
import io.hirundo.kernel.optimizer.AdamW8BitKernels;
import io.hirundo.lib.optimizer.AdamWUpdate;
import io.hirundo.lib.optimizer.ReportedOnce;
import io.hirundo.lib.optimizer.StateTensors;
import io.hirundo.lib.optimizer.WeightUpdates;
import io.hirundo.model.parameter.Parameter;
import io.hirundo.model.parameter.ParameterPart;
import io.hirundo.model.parameter.ParameterSpec;
import io.hirundo.optimizer.Optimizer;
import io.hirundo.optimizer.OptimizerRun;
import io.hirundo.optimizer.Ownership;
import io.hirundo.optimizer.StateConversion;
import io.hirundo.optimizer.StateSpec;
import io.hirundo.tensor.DType;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * AdamW with its hyperparameters.
 *
 * @param reported what has been logged, of all ranks of this process
 */
record AdamW(AdamWOptions options, ReportedOnce reported) implements Optimizer {
    /** Blocks of 8-bit state must not be divided between ranks. */
    @Override
    public Ownership ownership(ParameterSpec parameter) {
        return isIn8Bits(parameter) ? Ownership.BLOCKS : Ownership.ELEMENTS;
    }

    /** Rows of all parts, and of the tensors that they are shards of, must be complete blocks. */
    private boolean isIn8Bits(ParameterSpec parameter) {
        return options.eightBitState() && parameter.parts().stream().allMatch(AdamW::hasRowsOfBlocks);
    }

    private static boolean hasRowsOfBlocks(ParameterPart part) {
        return part.shape().rank() == 2
                && part.shape().dim(1) % BLOCK_ELEMENTS == 0
                && part.globalShape().dim(1) % BLOCK_ELEMENTS == 0
                && part.offset().get(1) % BLOCK_ELEMENTS == 0;
    }

    @Override
    public boolean updates(DType parameterType) {
        return true;
    }

    @Override
    public Optional<List<StateSpec>> declaredState(ParameterSpec parameter, DType dtype) {
        return Optional.of(isIn8Bits(parameter) ? EightBitUpdate.state() : AdamWUpdate.state(dtype));
    }

    /** Each form of the moments from the others. */
    @Override
    public List<StateConversion> conversions(ParameterSpec parameter, DType dtype) {
        if (WeightUpdates.type(dtype) != DType.FP32) {
            return List.of();
        }
        return isIn8Bits(parameter) ? MomentConversion.toEightBits() : MomentConversion.toFp32();
    }

    @Override
    public Set<Class<?>> kernels(DType parameterType) {
        Set<Class<?>> families = new HashSet<>(WeightUpdates.kernels(parameterType, options.rounding()));
        if (options.eightBitState()) {
            families.add(AdamW8BitKernels.class);
        }
        return Set.copyOf(families);
    }

    @Override
    public Optional<String> settingWithout(Class<?> family) {
        return family == AdamW8BitKernels.class
                ? Optional.of("optimizer.options.eightBitState=false")
                : WeightUpdates.settingWithout(family);
    }

    @Override
    public OptimizerRun bind(Device device, List<Parameter> parameters) {
        List<Parameter> quantized =
                parameters.stream().filter(each -> isIn8Bits(each.spec())).toList();
        List<Parameter> others =
                parameters.stream().filter(each -> !isIn8Bits(each.spec())).toList();
        Optional<EightBitUpdate> eightBit = options.eightBitState()
                ? Optional.of(EightBitUpdate.of(options, device, quantized, others, reported))
                : Optional.empty();
        var update = new AdamWUpdate(options.beta1(), options.beta2(), options.epsilon(), options.weightDecay());
        WeightUpdates updates = WeightUpdates.of(device, parameters, options.rounding());
        try {
            var moments = StateTensors.zeros(device, parameters, this);
            return new AdamWRun(update, device.kernels().optimizer(), updates, others, eightBit, moments);
        } catch (RuntimeException | Error failure) {
            updates.close();
            throw failure;
        }
    }
}
