package io.hirundo.checkpointdcp.internal;

import java.util.List;
import java.util.Map;

/**
 * All that a checkpoint says of itself. Fields that a later version adds are passed over by this one; a version with which
 * that would be wrong has another number.
 *
 * @param step steps that were done
 * @param chunkBytes bytes under one checksum
 * @param values of the training state, as JSON
 */
record Manifest(
    Header header, long step, int chunkBytes, Map<String, Object> values, List<DataFile> files, List<SavedTensor> tensors) {
  static final String FILE = "manifest.json";
  static final String FORMAT = "hirundo-checkpoint";
  static final int VERSION = 1;

  /**
   * What kind of file this is.
   *
   * @param format always {@link #FORMAT}
   * @param id of the save, random: the same for all ranks
   * @param createdBy bundle and version
   */
  record Header(String format, int version, String id, String createdBy) {
    static Header of(String id, String createdBy) {
      return new Header(FORMAT, VERSION, id, createdBy);
    }
  }

  Manifest {
    values = Map.copyOf(values);
    files = List.copyOf(files);
    tensors = List.copyOf(tensors);
  }

  long dataBytes() {
    return files.stream().mapToLong(DataFile::bytes).sum();
  }
}
