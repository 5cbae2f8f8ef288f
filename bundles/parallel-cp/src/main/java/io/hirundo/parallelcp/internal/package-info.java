/**
 * Private to the bundle parallel-cp. Suffixes as in {@code io.hirundo.kernel.Kernels}; N stands for the rows of two pieces of
 * every sequence, 2 B, s for the tokens of a piece.
 */
package io.hirundo.parallelcp.internal;
