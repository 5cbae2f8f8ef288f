package io.hirundo.checkpoint;

/**
 * A checkpoint folder, loadable or not.
 *
 * @param checkpoint its path, step and bytes on storage
 * @param problem why it cannot be loaded, with the file; empty if it looks complete without reading its tensors
 */
public record FoundCheckpoint(CheckpointInfo checkpoint, String problem) {
    /** Whether no problem was found. */
    public boolean isWhole() {
        return problem.isEmpty();
    }
}
