/**
 * Context-parallel strategies. Suffixes as in {@code io.hirundo.kernel.Kernels}; N is the rows of two chunks of every sequence,
 * 2 B, and s the tokens of a chunk.
 */
package io.hirundo.parallelcp.internal;
