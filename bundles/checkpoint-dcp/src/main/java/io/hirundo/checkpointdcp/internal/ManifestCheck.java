package io.hirundo.checkpointdcp.internal;

import io.hirundo.CheckpointException;
import io.hirundo.tensor.Shape;
import java.nio.file.Path;
import java.util.HashSet;

/** Whether a manifest contradicts itself. A sound checksum says that it is as it was written, not that it was right. */
final class ManifestCheck {
  private final Manifest manifest;
  private final String where;

  private ManifestCheck(Manifest manifest, String where) {
    this.manifest = manifest;
    this.where = where;
  }

  static void check(Manifest manifest, String where) {
    var check = new ManifestCheck(manifest, where);
    try {
      check.check();
    } catch (IllegalArgumentException | ArithmeticException e) {
      // A negative extent, or more elements than can be counted.
      throw new CheckpointException(check.wrong(e.getMessage()).getMessage(), e);
    }
  }

  private void check() {
    if (manifest.chunkBytes() < DataFile.ALIGNMENT_BYTES || manifest.chunkBytes() % DataFile.ALIGNMENT_BYTES != 0) {
      throw wrong("chunkBytes is " + manifest.chunkBytes());
    }
    for (DataFile file : manifest.files()) {
      boolean isPlaced = file.places().stream().map(Path::of).allMatch(place -> place.isAbsolute() && place.endsWith(file.name()));
      if (!file.name().matches(DataFile.PATTERN) || file.bytes() < 0 || !isPlaced) {
        throw wrong("a data file cannot be " + file);
      }
    }
    var keys = new HashSet<String>();
    for (SavedTensor tensor : manifest.tensors()) {
      if (!keys.add(tensor.key())) {
        throw wrong("tensor '" + tensor.key() + "' is there twice");
      }
      Coverage.check(tensor);
      tensor.shards().forEach(shard -> checkPlace(tensor, shard));
    }
  }

  private void checkPlace(SavedTensor tensor, SavedShard shard) {
    SavedShard.Place place = shard.place();
    boolean isFile = place.file() >= 0 && place.file() < manifest.files().size();
    boolean isWithin =
        isFile
            && place.byteOffset() >= 0
            && place.byteLength() <= manifest.files().get(place.file()).bytes() - place.byteOffset();
    boolean isWhole =
        place.byteLength() == new Shape(shard.shape()).byteSize(tensor.dtype())
            && shard.chunks() == Math.ceilDiv(place.byteLength(), manifest.chunkBytes());
    if (!isWithin || !isWhole) {
      throw wrong("tensor '" + tensor.key() + "' has a piece " + shard.piece() + " that cannot be at " + place);
    }
  }

  private CheckpointException wrong(String what) {
    return new CheckpointException(where + " contradicts itself: " + what);
  }
}
