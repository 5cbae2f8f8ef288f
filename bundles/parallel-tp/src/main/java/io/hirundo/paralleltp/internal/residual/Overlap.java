package io.hirundo.paralleltp.internal.residual;

/**
 * Which transfers overlap with GEMMs.
 *
 * @param ring all-gathers are rings, and a GEMM multiplies each rank's rows as they arrive
 * @param bulk transfers of a backward run during its two GEMMs
 * @param splits parts of a GEMM; the reduce-scatter of each begins as soon as it is computed
 */
public record Overlap(boolean ring, boolean bulk, int splits) {}
