package io.hirundo.checkpointhf.internal;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.hirundo.checkpoint.ModelPart;
import io.hirundo.tensor.DType;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** Writes the files of a model into a folder: one of weights, or several and their index; then the configuration. */
final class ModelWriter {
  private final Path folder;
  private final long maxShardBytes;

  ModelWriter(Path folder, long maxShardBytes) {
    this.folder = folder;
    this.maxShardBytes = maxShardBytes;
  }

  void write(LlamaConfig config, List<ModelPart> parts) throws IOException {
    List<List<ModelPart>> shards = shards(parts);
    List<String> names = names(shards.size());
    for (int shard = 0; shard < shards.size(); shard++) {
      SafetensorsWriter.write(folder.resolve(names.get(shard)), shards.get(shard));
    }
    if (shards.size() > 1) {
      DurableFile.write(folder.resolve(ModelFiles.INDEX), index(shards, names));
    }
    DurableFile.write(folder.resolve(ConfigJson.FILE), ConfigText.of(config, dtype(parts)));
  }

  /** Fills one file after the other, in the order of the parts. */
  private List<List<ModelPart>> shards(List<ModelPart> parts) {
    var shards = new ArrayList<List<ModelPart>>(List.of(new ArrayList<>()));
    long bytes = 0;
    for (ModelPart part : parts) {
      long partBytes = part.shape().byteSize(part.dtype());
      if (!shards.getLast().isEmpty() && bytes + partBytes > maxShardBytes) {
        shards.add(new ArrayList<>());
        bytes = 0;
      }
      shards.getLast().add(part);
      bytes += partBytes;
    }
    return shards;
  }

  private static List<String> names(int count) {
    if (count == 1) {
      return List.of(ModelFiles.SINGLE);
    }
    var names = new ArrayList<String>();
    for (int shard = 1; shard <= count; shard++) {
      names.add("model-%05d-of-%05d.safetensors".formatted(shard, count));
    }
    return names;
  }

  private static byte[] index(List<List<ModelPart>> shards, List<String> names) throws IOException {
    ObjectNode json = Json.mapper().createObjectNode();
    long totalBytes =
        shards.stream().flatMap(List::stream).mapToLong(part -> part.shape().byteSize(part.dtype())).sum();
    json.putObject("metadata").put("total_size", totalBytes);
    ObjectNode map = json.putObject(ModelFiles.WEIGHT_MAP);
    for (int shard = 0; shard < shards.size(); shard++) {
      for (ModelPart part : shards.get(shard)) {
        map.put(part.path(), names.get(shard));
      }
    }
    return Json.mapper().writerWithDefaultPrettyPrinter().writeValueAsBytes(json);
  }

  /** The type of the largest tensor: norms may be kept in a wider one. */
  private static DType dtype(List<ModelPart> parts) {
    return parts.stream().max(Comparator.comparingLong(part -> part.shape().elements())).orElseThrow().dtype();
  }
}
