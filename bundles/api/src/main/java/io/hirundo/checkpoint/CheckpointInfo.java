package io.hirundo.checkpoint;

import java.nio.file.Path;

/**
 * A complete checkpoint.
 *
 * @param path its folder
 * @param step completed steps
 * @param bytes on storage or in memory
 * @param isInMemory whether its tensors are in the nodes' memory and not on storage. Such a checkpoint survives the end of all
 *     processes and the loss of one node, but not the loss of all nodes
 */
public record CheckpointInfo(Path path, long step, long bytes, boolean isInMemory) {
    /** A checkpoint on storage. */
    public CheckpointInfo(Path path, long step, long bytes) {
        this(path, step, bytes, false);
    }
}
