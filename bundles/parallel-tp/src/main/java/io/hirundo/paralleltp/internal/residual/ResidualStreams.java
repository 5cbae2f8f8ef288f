package io.hirundo.paralleltp.internal.residual;

import io.hirundo.mesh.ProcessGroup;

/**
 * Creates the residual stream of a rank.
 *
 * @param sequenceParallel whether each rank holds a shard of the tokens
 */
public record ResidualStreams(boolean sequenceParallel, Overlap overlap) {
    public ResidualStream of(ProcessGroup tensor) {
        return sequenceParallel ? new SequenceShards(tensor, overlap) : new ReplicatedResidual(tensor, overlap);
    }
}
