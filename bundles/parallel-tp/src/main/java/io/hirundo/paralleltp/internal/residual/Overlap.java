package io.hirundo.paralleltp.internal.residual;

/**
 * Which messages run beside matrix products.
 *
 * @param ring gathers go round, and are multiplied as they come
 * @param bulk messages of a backward run under its two products
 * @param splits parts of a product whose sums begin as soon as they are there
 */
public record Overlap(boolean ring, boolean bulk, int splits) {}
