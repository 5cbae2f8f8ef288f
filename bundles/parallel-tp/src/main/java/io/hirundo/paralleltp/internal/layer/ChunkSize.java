package io.hirundo.paralleltp.internal.layer;

/** How many tokens have logits at a time, as {@link io.hirundo.lib.transformer.LogitChunks#tokens}. */
@FunctionalInterface
public interface ChunkSize {
    long tokens(long columns, long channels, int elementBytes);
}
