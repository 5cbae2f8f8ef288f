/**
 * Rows of the residual stream on the ranks of a tensor-parallel group: whole or in sequence shards, how GEMMs gather
 * them, and how partial sums return to them.
 */
package io.hirundo.paralleltp.internal.residual;
