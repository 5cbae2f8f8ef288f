package io.hirundo.testkit.parallel;

import io.hirundo.ConfigurationException;
import io.hirundo.device.Device;
import io.hirundo.mesh.ProcessGroup;
import io.hirundo.model.parameter.ParameterSpec;
import io.hirundo.optimizer.Ownership;
import io.hirundo.parallel.DataParallel;
import io.hirundo.parallel.ShardGroups;
import io.hirundo.parallel.ShardedParameters;
import io.hirundo.tensor.DType;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/**
 * Complete weights and gradients on every rank, which updates an even slice of each parameter; correct. Mutants override a method. The project of
 * {@code plugin new --kind data-parallel} computes the same, and may change without it.
 */
class EvenSlices implements DataParallel {
    @Override
    public ShardedParameters bind(
            Device device, ProcessGroup group, List<List<ParameterSpec>> blocks, DType parameterType) {
        return slices(device, ShardGroups.one(group), blocks, parameterType);
    }

    @Override
    public ShardedParameters bind(
            Device device,
            ShardGroups groups,
            List<List<ParameterSpec>> blocks,
            DType parameterType,
            Function<ParameterSpec, Ownership> ownership) {
        if (groups.replicas().isEmpty()) {
            return bind(device, groups.shard(), blocks, parameterType, ownership);
        }
        if (blocks.stream().flatMap(List::stream).anyMatch(spec -> ownership.apply(spec) != Ownership.ELEMENTS)) {
            throw new ConfigurationException("mesh.dataParallel: slices are of elements");
        }
        return slices(device, groups, blocks, parameterType);
    }

    SlicedParameters slices(Device device, ShardGroups groups, List<List<ParameterSpec>> blocks, DType parameterType) {
        return new SlicedParameters(device, groups, blocks, parameterType);
    }

    @Override
    public Optional<Runnable> takeOver(ShardedParameters present) {
        return present instanceof SlicedParameters ? Optional.of(() -> {}) : Optional.empty();
    }
}
