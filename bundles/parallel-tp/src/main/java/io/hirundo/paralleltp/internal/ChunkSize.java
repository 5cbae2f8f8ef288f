package io.hirundo.paralleltp.internal;

/** How many tokens have logits at a time, as {@link io.hirundo.model.support.LogitChunks#tokens}. */
@FunctionalInterface
interface ChunkSize {
  long tokens(long columns, long channels, int elementBytes);
}
