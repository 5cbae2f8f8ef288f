package io.hirundo.paralleltp.internal.columnrow;

import io.hirundo.strategy.Setting;

/**
 * Options of {@code column-row}. Only {@code sequenceParallel} changes how numbers are rounded.
 *
 * @param sequenceParallel whether norms and residual sums work on a shard of the tokens (Korthikanti et al. 2022, arXiv
 *     2205.05198)
 * @param overlap whether messages run beside matrix products; false turns the three kinds below off
 * @param ringGather whether products begin with the rows that are there while the others come round
 * @param pipelinedScatter whether sums over ranks begin with the first rows of a product
 * @param bulk whether a backward gathers under its input gradient and sums under its weight gradient
 * @param splits parts of a product that {@code pipelinedScatter} sums one by one
 * @param quantizedGather whether rows travel as the precision quantizes them
 */
public record ColumnRowOptions(
    @Setting("whether norms and residual sums work on a shard of the tokens, which saves their activations")
        boolean sequenceParallel,
    @Setting("whether messages are hidden behind matrix products; false turns every kind off") boolean overlap,
    @Setting("kind of overlap: rows go round in a ring, and are multiplied as they come") boolean ringGather,
    @Setting("kind of overlap: rows of a product are summed over the ranks while the next ones are multiplied")
        boolean pipelinedScatter,
    @Setting("kind of overlap: a backward's messages run under its two matrix products") boolean bulk,
    @Setting(value = "parts of a product that pipelinedScatter sums one by one", min = 1, max = 64) int splits,
    @Setting("whether rows go to the other ranks in the 8 bits that the precision makes of them for a product, where it does")
        boolean quantizedGather) {
  public ColumnRowOptions() {
    this(true, true, true, true, true, 4, true);
  }
}
