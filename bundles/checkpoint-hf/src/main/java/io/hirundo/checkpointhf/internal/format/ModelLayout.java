package io.hirundo.checkpointhf.internal.format;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.hirundo.checkpoint.ModelTensor;
import io.hirundo.checkpointhf.internal.description.ConfigText;
import io.hirundo.checkpointhf.internal.file.FolderReplacement;
import io.hirundo.checkpointhf.internal.file.Json;
import io.hirundo.checkpointhf.internal.safetensors.SafetensorsLayout;
import io.hirundo.lib.family.FamilyModel;
import io.hirundo.tensor.DType;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SequencedMap;

/**
 * The files of a model that is to be written: one of weights, or several and their index, and the configuration. Follows from the
 * tensors alone, so that all who write find the same one.
 */
final class ModelLayout {
    /**
     * Where a tensor's values begin.
     *
     * @param file name of the file
     * @param position byte in it
     */
    record Place(ModelTensor tensor, String file, long position) {}

    private final FamilyModel<?> model;
    private final List<ModelTensor> tensors;
    private final SequencedMap<String, SafetensorsLayout> files = new LinkedHashMap<>();
    private final SequencedMap<String, Place> places = new LinkedHashMap<>();

    /** {@code tensors}: the model's parameters in their order; one file is filled after the other. */
    ModelLayout(FamilyModel<?> model, List<ModelTensor> tensors, long maxShardBytes) {
        this.model = model;
        this.tensors = stored(model, tensors);
        List<List<ModelTensor>> shards = shards(this.tensors, maxShardBytes);
        for (int shard = 0; shard < shards.size(); shard++) {
            String name = name(shard, shards.size());
            var layout = new SafetensorsLayout(shards.get(shard));
            files.put(name, layout);
            for (ModelTensor tensor : shards.get(shard)) {
                places.put(
                        tensor.path(),
                        new Place(tensor, name, layout.positions().get(tensor.path())));
            }
        }
    }

    /** The stored tensors that hold these parameters. */
    private static List<ModelTensor> stored(FamilyModel<?> model, List<ModelTensor> parameters) {
        var stored = new LinkedHashMap<String, ModelTensor>();
        for (ModelTensor parameter : parameters) {
            var tensor = model.parameters().get(parameter.path()).tensor();
            ModelTensor former = stored.putIfAbsent(
                    tensor.name(), new ModelTensor(tensor.name(), tensor.shape(), parameter.dtype()));
            if (former != null && former.dtype() != parameter.dtype()) {
                throw new IllegalArgumentException("tensor '" + tensor.name() + "' would hold " + parameter.path()
                        + " in " + parameter.dtype() + ", and others in " + former.dtype());
            }
        }
        return List.copyOf(stored.values());
    }

    private static List<List<ModelTensor>> shards(List<ModelTensor> tensors, long maxShardBytes) {
        var shards = new ArrayList<List<ModelTensor>>(List.of(new ArrayList<>()));
        long bytes = 0;
        for (ModelTensor tensor : tensors) {
            if (!shards.getLast().isEmpty() && bytes + tensor.byteSize() > maxShardBytes) {
                shards.add(new ArrayList<>());
                bytes = 0;
            }
            shards.getLast().add(tensor);
            bytes += tensor.byteSize();
        }
        return shards;
    }

    private static String name(int shard, int count) {
        return count == 1 ? ModelFiles.SINGLE : "model-%05d-of-%05d.safetensors".formatted(shard + 1, count);
    }

    /** The files of weights by their names. */
    SequencedMap<String, SafetensorsLayout> files() {
        return files;
    }

    /** The stored tensors by their names. */
    SequencedMap<String, Place> places() {
        return places;
    }

    /** The model to write. */
    FamilyModel<?> model() {
        return model;
    }

    /** The other files by their names. */
    Map<String, byte[]> texts() {
        Map<String, byte[]> texts = new LinkedHashMap<>();
        if (files.size() > 1) {
            texts.put(ModelFiles.INDEX, index());
        }
        texts.put(FolderReplacement.CONFIG, ConfigText.of(model.configuration(), dtype()));
        return texts;
    }

    private byte[] index() {
        ObjectNode json = Json.mapper().createObjectNode();
        json.putObject("metadata")
                .put(
                        "total_size",
                        tensors.stream().mapToLong(ModelTensor::byteSize).sum());
        ObjectNode map = json.putObject(ModelFiles.WEIGHT_MAP);
        places.forEach((path, place) -> map.put(path, place.file()));
        try {
            return Json.mapper().writerWithDefaultPrettyPrinter().writeValueAsBytes(json);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("a tree of JSON values that cannot be written", e);
        }
    }

    /** The type of the largest tensor: norms may be kept in a wider one. */
    private DType dtype() {
        return tensors.stream()
                .max(Comparator.comparingLong(tensor -> tensor.shape().elements()))
                .orElseThrow()
                .dtype();
    }
}
