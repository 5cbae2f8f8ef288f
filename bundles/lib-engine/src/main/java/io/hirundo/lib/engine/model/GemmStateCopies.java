package io.hirundo.lib.engine.model;

import io.hirundo.checkpoint.StateShard;
import io.hirundo.device.MemoryCategory;
import io.hirundo.lib.engine.lifecycle.Opened;
import io.hirundo.lib.engine.rank.Rank;
import io.hirundo.tensor.Tensor;
import java.util.List;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Copies of the GEMM state of closed blocks: for checkpoints, and for the blocks that replace them. */
final class GemmStateCopies implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(GemmStateCopies.class);

    private final Rank rank;
    private final Opened copies = new Opened();
    private List<StateShard> shards = List.of();

    /** Holds no copies. */
    GemmStateCopies(Rank rank) {
        this.rank = rank;
    }

    /** {@code remembered}: as {@link RankGemmState#shards} returns it. */
    void keep(List<StateShard> remembered) {
        shards = remembered.stream().map(this::copy).toList();
    }

    /** As {@link #keep}; on failure it logs an error and holds nothing. {@code whose}: the precision, for the message. */
    void keepWhereItCan(String whose, Supplier<List<StateShard>> remembered) {
        try {
            keep(remembered.get());
        } catch (RuntimeException | LinkageError failure) {
            LOG.error(
                    "the GEMM state of precision {} is lost: checkpoints do not contain it until that precision is back",
                    whose,
                    failure);
            forget();
        }
    }

    private StateShard copy(StateShard shard) {
        Tensor from = shard.local();
        Tensor state =
                copies.add(rank.device().allocate(MemoryCategory.WORKSPACE, from.shape(), from.dtype()), Tensor::close);
        rank.device().kernels().elementwise().copy(rank.queue(), from, state);
        return new StateShard(shard.key(), shard.globalShape(), shard.offset(), state, shard.replica());
    }

    /** The shards, as they were copied. */
    List<StateShard> shards() {
        return shards;
    }

    /** Frees the memory. */
    void forget() {
        shards = List.of();
        // Copies to other blocks may still be queued.
        rank.queue().drain();
        copies.close();
    }

    @Override
    public void close() {
        copies.close();
    }
}
