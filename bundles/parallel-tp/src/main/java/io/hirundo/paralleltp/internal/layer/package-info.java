/**
 * Layers of a rank's shard: linear layers split by columns or rows, the embedding and the loss head split by vocabulary.
 * They read and write the residual stream through {@code residual}.
 */
package io.hirundo.paralleltp.internal.layer;
