package io.hirundo.lib.engine.layer;

import io.hirundo.ConfigurationException;
import io.hirundo.device.Device;
import io.hirundo.device.Queue;
import io.hirundo.kernel.attention.AttentionOptions;
import io.hirundo.kernel.attention.Heads;
import io.hirundo.lib.engine.provider.LayerProviderChoice;
import io.hirundo.mesh.Axis;
import io.hirundo.mesh.ProcessGroup;
import io.hirundo.model.LayerFactory;
import io.hirundo.model.LayerSpec;
import io.hirundo.model.MatrixSpec;
import io.hirundo.model.WeightSpec;
import io.hirundo.model.layer.Layer;
import io.hirundo.model.parameter.Parameter;
import io.hirundo.model.parameter.ParameterSpec;
import io.hirundo.parallel.AttentionCore;
import io.hirundo.parallel.LayerScope;
import io.hirundo.parallel.LocalMatrix;
import io.hirundo.parallel.Sharding;
import io.hirundo.tensor.DType;
import java.util.List;
import java.util.function.Function;
import java.util.function.Supplier;

/** The scope of one rank's layers, and the factory that its providers are behind. */
public record RankScope(
        RankLayers layers,
        Queue queue,
        DType activationType,
        Sharding sharding,
        Function<Axis, ProcessGroup> groups,
        LayerProviderChoice providers)
        implements LayerScope, LayerFactory {
    @Override
    public <L extends Layer> L create(LayerSpec<L> spec) {
        return providers.create(spec, this);
    }

    @Override
    public Device device() {
        return layers.device();
    }

    @Override
    public ProcessGroup group(Axis axis) {
        return groups.apply(axis);
    }

    @Override
    public Parameter parameter(WeightSpec weight) {
        return layers.declare(
                new ParameterSpec(weight.path(), List.of(sharding.part(weight, groups)), weight.initialization()));
    }

    @Override
    public LocalMatrix matrix(MatrixSpec matrix) {
        var parts = matrix.weights().stream()
                .map(weight -> sharding.part(weight, groups))
                .toList();
        return layers.matrix(new ParameterSpec(
                matrix.name(), parts, matrix.weights().getFirst().initialization()));
    }

    @Override
    public AttentionCore attention(Heads heads, AttentionOptions options) {
        if (!device().kernels().attention().supports(options)) {
            throw new ConfigurationException("device: " + device().info().name() + " has no attention kernels for "
                    + options + "; choose a device that has, cpu for instance, or another model");
        }
        return layers.attentionCores().create(heads, options);
    }

    @Override
    public <T extends AutoCloseable> T shared(Object key, Supplier<T> create) {
        return layers.shared(key, create);
    }
}
