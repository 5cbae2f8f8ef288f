package io.hirundo.model.parameter;

import java.util.List;

/**
 * The ranks that hold replicas of the same tensor shard. The first rank represents all where each element counts once: in the
 * gradient norm and in checkpoints.
 *
 * @param ranks world ranks, including this one; empty for a shard without replicas
 * @param index this rank's position among them
 * @param partialGradients whether each rank computes a partial gradient that must be all-reduced; otherwise all ranks compute the
 *     same gradient
 */
public record Replicas(List<Integer> ranks, int index, boolean partialGradients) {
    /** No replicas. */
    public static final Replicas NONE = new Replicas(List.of(), 0, false);

    public Replicas {
        ranks = List.copyOf(ranks);
    }

    /** Whether this rank represents all replicas. */
    public boolean isFirst() {
        return index == 0;
    }
}
