package io.hirundo.checkpoint;

/**
 * A copy of a checkpoint in a store, whole.
 *
 * @param name of the checkpoint's folder
 * @param step steps that were done
 * @param bytes of its files
 */
public record StoredCheckpoint(String name, long step, long bytes) {}
