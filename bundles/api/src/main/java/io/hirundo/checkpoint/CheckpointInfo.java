package io.hirundo.checkpoint;

import java.nio.file.Path;

/**
 * A whole checkpoint.
 *
 * @param path its folder
 * @param step steps that were done
 * @param bytes on storage, or in memory
 * @param isInMemory whether its tensors are in the memory of the nodes and not on storage: it survives the end of all processes and
 *     the loss of one node, but not of all
 */
public record CheckpointInfo(Path path, long step, long bytes, boolean isInMemory) {
  /** One whose tensors are on storage. */
  public CheckpointInfo(Path path, long step, long bytes) {
    this(path, step, bytes, false);
  }
}
