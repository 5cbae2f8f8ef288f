package io.hirundo.checkpoint;

/**
 * What was found where a checkpoint should be.
 *
 * @param checkpoint its place and step, and the bytes that are there
 * @param problem why it cannot be loaded, with the file; empty where it is whole as far as could be seen without reading its tensors
 */
public record FoundCheckpoint(CheckpointInfo checkpoint, String problem) {
  /** Whether nothing is known to be wrong with it. */
  public boolean isWhole() {
    return problem.isEmpty();
  }
}
