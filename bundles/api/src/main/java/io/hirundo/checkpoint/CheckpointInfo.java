package io.hirundo.checkpoint;

import java.nio.file.Path;

/**
 * A whole checkpoint.
 *
 * @param path its folder
 * @param step steps that were done
 * @param bytes on storage
 */
public record CheckpointInfo(Path path, long step, long bytes) {}
