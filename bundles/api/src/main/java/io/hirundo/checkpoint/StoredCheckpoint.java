package io.hirundo.checkpoint;

/**
 * A complete copy of a checkpoint in a store.
 *
 * @param name of the checkpoint folder
 * @param step completed steps
 * @param bytes of its files
 */
public record StoredCheckpoint(String name, long step, long bytes) {}
