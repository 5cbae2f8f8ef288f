package io.hirundo.trainer.internal.model;

import io.hirundo.checkpoint.StateShard;
import io.hirundo.device.MemoryCategory;
import io.hirundo.tensor.Tensor;
import io.hirundo.trainer.internal.lifecycle.Opened;
import io.hirundo.trainer.internal.rank.Rank;
import java.util.List;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Copies of what the products of layers remembered that are gone: to be saved, and for those that come in their place. */
final class GemmStateCopies implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(GemmStateCopies.class);

  private final Rank rank;
  private final Opened copies = new Opened();
  private List<StateShard> shards = List.of();

  /** Of nothing. */
  GemmStateCopies(Rank rank) {
    this.rank = rank;
  }

  /** {@code remembered}: as {@link RankGemmState#shards} has it. */
  void keep(List<StateShard> remembered) {
    shards = remembered.stream().map(this::copy).toList();
  }

  /** As {@link #keep}, for a checkpoint at most; where that fails there is nothing. {@code whose} for messages. */
  void keepWhereItCan(String whose, Supplier<List<StateShard>> remembered) {
    try {
      keep(remembered.get());
    } catch (RuntimeException | LinkageError failure) {
      LOG.error("what precision {} remembered of earlier steps is lost: checkpoints are without it until it is back", whose, failure);
      forget();
    }
  }

  private StateShard copy(StateShard shard) {
    Tensor from = shard.local();
    Tensor state = copies.add(rank.device().allocate(MemoryCategory.WORKSPACE, from.shape(), from.dtype()), Tensor::close);
    rank.device().kernels().elementwise().copy(rank.queue(), from, state);
    return new StateShard(shard.key(), shard.globalShape(), shard.offset(), state, shard.replica());
  }

  /** As they were kept. */
  List<StateShard> shards() {
    return shards;
  }

  /** Gives the memory back. */
  void forget() {
    shards = List.of();
    // What others took over may still be on its way.
    rank.queue().drain();
    copies.close();
  }

  @Override
  public void close() {
    copies.close();
  }
}
