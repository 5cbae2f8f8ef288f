package io.hirundo.checkpointdcp.internal;

import io.hirundo.checkpoint.CheckpointContext;
import io.hirundo.checkpoint.StateShard;
import io.hirundo.checkpoint.TrainingState;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** One rank's share of a save: a data file, and a manifest of what is in it for rank 0 to put together. */
final class RankWriter {
  private final CheckpointContext context;
  private final FileOperations files;
  private final ManifestText manifests;
  private final int chunkBytes;
  private final String createdBy;

  RankWriter(
      CheckpointContext context, FileOperations files, ManifestText manifests, int chunkBytes, String createdBy) {
    this.context = context;
    this.files = files;
    this.manifests = manifests;
    this.chunkBytes = chunkBytes;
    this.createdBy = createdBy;
  }

  static Path partFile(Path folder, int rank) {
    return folder.resolve("rank-%05d.part.json".formatted(rank));
  }

  /** Writes into the folder of a save under way; the data is on disk on return. */
  void write(Path folder, String id, TrainingState state) throws IOException {
    int rank = context.world().rank();
    Map<String, Object> values = rank == 0 ? state.values() : Map.of();
    JsonValues.check(values, "values");
    String name = DataFile.name(rank);
    long bytes;
    List<SavedTensor> tensors;
    try (FileOperations.Output output = files.createFile(folder.resolve(name));
        var writer = new ShardWriter(context.device(), context.queue(), output, chunkBytes)) {
      tensors = writeShards(writer, state.shards());
      bytes = writer.bytes();
      output.sync();
    }
    var part =
        new Manifest(
            Manifest.Header.of(id, createdBy),
            state.step(),
            chunkBytes,
            values,
            List.of(new DataFile(name, bytes)),
            tensors);
    try (FileOperations.Output output = files.createFile(partFile(folder, rank))) {
      output.write(ByteBuffer.wrap(manifests.write(part)), 0);
    }
  }

  /** Of copies only the first is written; the others are named, so that a tensor whose first copy nobody has is noticed. */
  private static List<SavedTensor> writeShards(ShardWriter writer, List<StateShard> shards) throws IOException {
    Map<String, SavedTensor> tensors = new LinkedHashMap<>();
    for (StateShard shard : shards) {
      List<SavedShard> written = shard.replica() == 0 ? List.of(writer.write(shard)) : List.of();
      var tensor = new SavedTensor(shard.key(), shard.local().dtype(), shard.globalShape().dims(), written);
      SavedTensor former = tensors.putIfAbsent(shard.key(), tensor);
      if (former != null) {
        requireSame(former, tensor);
        var all = new ArrayList<>(former.shards());
        all.addAll(written);
        tensors.put(shard.key(), former.withShards(all));
      }
    }
    return List.copyOf(tensors.values());
  }

  private static void requireSame(SavedTensor former, SavedTensor tensor) {
    if (former.dtype() != tensor.dtype() || !former.shape().equals(tensor.shape())) {
      throw new IllegalArgumentException(
          "two pieces of '" + tensor.key() + "' differ in data type or whole shape: " + former.dtype() + " "
              + former.shape() + ", " + tensor.dtype() + " " + tensor.shape());
    }
  }
}
