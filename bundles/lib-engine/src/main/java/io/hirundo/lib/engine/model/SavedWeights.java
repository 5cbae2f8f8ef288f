package io.hirundo.lib.engine.model;

import io.hirundo.checkpoint.StateShard;
import io.hirundo.device.Device;
import io.hirundo.device.MemoryCategory;
import io.hirundo.lib.engine.lifecycle.Opened;
import io.hirundo.model.parameter.Parameter;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Tensor;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Memory for the weights of a checkpoint that has them in FP32 where the rank's model has BF16, or the other way round. Other dtypes are loaded
 * into the model's own tensors, and the checkpoint strategy rejects those that differ.
 */
public final class SavedWeights implements AutoCloseable {
    private static final Set<DType> CONVERTIBLE = Set.of(DType.FP32, DType.BF16);

    private final RankModel model;
    /** In the dtype of the checkpoint; empty if that is the model's. */
    private final Map<Parameter, Tensor> saved = new LinkedHashMap<>();

    /** Those of which the checkpoint has something. */
    private final Set<Parameter> loaded = new HashSet<>();

    private final Opened opened = new Opened();

    /**
     * For the weights that a rank owns.
     *
     * @param savedType of the weights in the checkpoint
     * @throws io.hirundo.DeviceException if there is no room
     */
    public SavedWeights(RankModel model, DType savedType) {
        this.model = model;
        if (!areConverted(savedType, model.parameterType())) {
            return;
        }
        try {
            Device device = model.device();
            for (Parameter owned : model.sharded().owned()) {
                Tensor tensor = opened.add(
                        device.allocate(MemoryCategory.WORKSPACE, owned.value().shape(), savedType), Tensor::close);
                // What the checkpoint lacks keeps its initial value.
                device.kernels().elementwise().copy(model.queue(), owned.value(), tensor);
                saved.put(owned, tensor);
            }
            model.queue().drain();
        } catch (RuntimeException | Error failure) {
            opened.closeAfter(failure);
            throw failure;
        }
    }

    /** Whether weights of these dtypes are converted when they are loaded. */
    public static boolean areConverted(DType savedType, DType parameterType) {
        return savedType != parameterType && CONVERTIBLE.containsAll(Set.of(savedType, parameterType));
    }

    /** What to load: these, with the memory of this object instead of the model's weights. */
    public List<StateShard> insteadOf(List<StateShard> shards) {
        if (saved.isEmpty()) {
            return shards;
        }
        Set<String> keys = shards.stream().map(StateShard::key).collect(Collectors.toSet());
        Stream<StateShard> others = shards.stream().filter(shard -> !shard.key().startsWith(ModelWeights.KEY_PREFIX));
        var own = new ArrayList<StateShard>();
        saved.forEach((owned, tensor) -> {
            var wanted = ModelWeights.shards(ModelWeights.KEY_PREFIX, owned, tensor).stream()
                    .filter(shard -> keys.contains(shard.key()))
                    .toList();
            if (!wanted.isEmpty()) {
                loaded.add(owned);
            }
            own.addAll(wanted);
        });
        return Stream.concat(others, own.stream()).toList();
    }

    /** Copies what was loaded to the model's weights: FP32 is rounded to nearest even, BF16 is widened. */
    public void convert() {
        loaded.forEach(
                owned -> model.device().kernels().elementwise().copy(model.queue(), saved.get(owned), owned.value()));
        model.queue().drain();
    }

    @Override
    public void close() {
        opened.close();
    }
}
