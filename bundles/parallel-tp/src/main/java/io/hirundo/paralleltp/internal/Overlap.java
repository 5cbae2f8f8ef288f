package io.hirundo.paralleltp.internal;

/**
 * Which messages run beside matrix products.
 *
 * @param ring gathers go round, and are multiplied as they come
 * @param bulk messages of a backward run under its two products
 * @param splits parts of a product whose sums begin as soon as they are there
 */
record Overlap(boolean ring, boolean bulk, int splits) {
  static Overlap of(ColumnRowOptions options) {
    return options.overlap()
        ? new Overlap(options.ringGather(), options.bulk(), options.pipelinedScatter() ? options.splits() : 1)
        : new Overlap(false, false, 1);
  }
}
