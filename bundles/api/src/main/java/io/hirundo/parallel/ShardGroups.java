package io.hirundo.parallel;

import io.hirundo.mesh.Axis;
import io.hirundo.mesh.ProcessGroup;
import io.hirundo.mesh.World;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;

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

    /**
     * Divides a rank's group along the data and context axes by {@link DataParallel#shardSize}. All ranks of the group must call this in the same
     * order, because it may create process groups.
     *
     * @throws IllegalStateException if {@code shardSize} returns no divisor of the ranks
     */
    public static ShardGroups of(World world, DataParallel strategy) {
        ProcessGroup all = world.along(Axis.CONTEXT, Axis.DATA);
        int size = strategy.shardSize(all.size());
        if (size < 1 || all.size() % size != 0) {
            throw new IllegalStateException(
                    "DataParallel.shardSize(" + all.size() + ") returned " + size + " (allowed: a divisor)");
        }
        if (size == all.size()) {
            return one(all);
        }
        int first = all.rank() / size * size;
        List<Integer> owners = IntStream.range(0, all.size())
                .filter(index -> index % size == all.rank() % size)
                .mapToObj(all.ranks()::get)
                .toList();
        ProcessGroup replicas = size == 1 ? all : world.group(owners);
        return new ShardGroups(world.group(all.ranks().subList(first, first + size)), Optional.of(replicas));
    }

    /** Ranks along the axes. */
    public int ranks() {
        return shard.size() * replicas.map(ProcessGroup::size).orElse(1);
    }
}
