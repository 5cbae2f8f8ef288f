package io.hirundo.parallel;

import io.hirundo.mesh.ProcessGroup;
import java.util.Optional;

/**
 * The ranks along the data and context axes, as a {@link DataParallel} strategy divides them. In hybrid sharding (PyTorch's {@code
 * HYBRID_SHARD}, Zhao et al. 2023, arXiv 2304.11277) several groups of ranks each hold one copy of the weights, sharded over the ranks of
 * the group.
 *
 * @param shard ranks among which parameters are sharded, adjacent along these axes, including this rank
 * @param replicas ranks that own the same shards, one of each shard group, including this rank; empty if there is one shard group
 */
public record ShardGroups(ProcessGroup shard, Optional<ProcessGroup> replicas) {
  /** All ranks share one copy. */
  public static ShardGroups one(ProcessGroup ranks) {
    return new ShardGroups(ranks, Optional.empty());
  }

  /** Ranks along the axes. */
  public int ranks() {
    return shard.size() * replicas.map(ProcessGroup::size).orElse(1);
  }
}
