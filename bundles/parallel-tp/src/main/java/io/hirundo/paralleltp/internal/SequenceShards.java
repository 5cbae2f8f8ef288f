package io.hirundo.paralleltp.internal;

import io.hirundo.device.MemoryCategory;
import io.hirundo.mesh.Pending;
import io.hirundo.mesh.ProcessGroup;
import io.hirundo.model.StepContext;
import io.hirundo.tensor.Shape;
import io.hirundo.tensor.Tensor;

/**
 * Sequence parallelism (Korthikanti et al. 2022, arXiv 2205.05198): rank r holds the r-th stretch of the microbatch's tokens.
 * Products begin with an all-gather and end with a reduce-scatter.
 */
record SequenceShards(ProcessGroup group, Overlap overlap) implements ResidualStream {
  @Override
  public int shards() {
    return group.size();
  }

  @Override
  public int splits() {
    return overlap.splits();
  }

  @Override
  public Gathering gather(StepContext context, Tensor xRK) {
    Tensor whole = wholeRows(context, xRK);
    return new Gathered(context, whole, group.allGather(context.queue(), xRK, whole));
  }

  @Override
  public Gathering multiply(StepContext context, Tensor xRK, RowProduct product, Tensor yTN) {
    if (overlap.ring()) {
      var ring = new Ring(context, group, xRK, wholeRows(context, xRK));
      ring.multiply(product, yTN);
      return ring;
    }
    Gathering rows = gather(context, xRK);
    product.multiply(context.queue(), rows.whole(), yTN);
    return rows;
  }

  @Override
  public PartialSums sums(StepContext context, Tensor yRN) {
    return new Scattered(context, yRN, wholeRows(context, yRN));
  }

  private Tensor wholeRows(StepContext context, Tensor rows) {
    Shape shape = rows.shape();
    return context
        .device()
        .allocate(MemoryCategory.COMMUNICATION, Shape.of(shards() * shape.dim(0), shape.dim(1)), rows.dtype());
  }

  private record Gathered(StepContext context, Tensor rows, Pending pending) implements Gathering {
    @Override
    public Tensor whole() {
      context.queue().await(pending.event());
      return rows;
    }

    @Override
    public void close() {
      context.queue().await(pending.event());
      rows.close();
    }
  }

  private final class Scattered implements PartialSums {
    private final StepContext context;
    private final Tensor shard;
    private final Tensor terms;
    private Pending pending;

    Scattered(StepContext context, Tensor shard, Tensor terms) {
      this.context = context;
      this.shard = shard;
      this.terms = terms;
    }

    @Override
    public Tensor terms() {
      return terms;
    }

    @Override
    public void begin() {
      pending = group.reduceScatter(context.queue(), terms, shard);
    }

    @Override
    public void finish() {
      context.queue().await(pending.event());
      terms.close();
    }
  }
}
