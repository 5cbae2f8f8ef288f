package io.hirundo.paralleltp.internal.columnrow;

import io.hirundo.strategy.Setting;

/**
 * Options of {@code column-row}. Only {@code sequenceParallel} changes how numbers are rounded.
 *
 * @param sequenceParallel whether norms and residual sums work on a shard of the tokens (Korthikanti et al. 2022, arXiv
 *     2205.05198)
 * @param overlap whether transfers run during GEMMs; false turns the three kinds below off
 * @param ringGather whether a GEMM begins with this rank's rows while the others arrive through a ring
 * @param pipelinedScatter whether the reduce-scatter begins with the first rows of a GEMM
 * @param bulk whether a backward gathers under its input gradient and sums under its weight gradient
 * @param splits parts of a GEMM that {@code pipelinedScatter} reduces one by one
 * @param quantizedGather whether rows travel as the precision quantizes them
 */
public record ColumnRowOptions(
        @Setting("whether norms and residual sums work on a shard of the tokens, which saves their activations")
        boolean sequenceParallel,

        @Setting("whether transfers overlap with GEMMs; false turns every kind off")
        boolean overlap,

        @Setting("kind of overlap: the all-gather is a ring, and a GEMM multiplies each rank's rows as they arrive")
        boolean ringGather,

        @Setting("kind of overlap: the reduce-scatter of a GEMM's first rows runs while the next rows are computed")
        boolean pipelinedScatter,

        @Setting("kind of overlap: a backward's transfers run during its two GEMMs")
        boolean bulk,

        @Setting(value = "parts of a GEMM that pipelinedScatter reduces one by one", min = 1, max = 64)
        int splits,

        @Setting("whether ranks send rows as the FP8 values that the precision quantizes for a GEMM, where it does")
        boolean quantizedGather) {
    public ColumnRowOptions() {
        this(true, true, true, true, true, 4, true);
    }
}
