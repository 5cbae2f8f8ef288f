package io.hirundo.paralleltp.internal;

import io.hirundo.mesh.Pending;
import io.hirundo.mesh.ProcessGroup;
import io.hirundo.model.StepContext;
import io.hirundo.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;

/**
 * An all-gather that hands every rank's rows from neighbour to neighbour, each shard being multiplied while it is passed on
 * and the next one comes (Wang et al. 2023, doi 10.1145/3567955.3567959). Own rows are multiplied where they are.
 */
final class Ring implements Gathering {
  private final StepContext context;
  private final ProcessGroup group;
  private final Tensor ownRows;
  private final Tensor whole;
  private final List<Pending> received = new ArrayList<>();
  private final List<Pending> sent = new ArrayList<>();
  private boolean ownRowsAreThere;

  /**
   * Gets ready to receive.
   *
   * @param whole room for the rows of all ranks, taken over
   */
  Ring(StepContext context, ProcessGroup group, Tensor ownRows, Tensor whole) {
    this.context = context;
    this.group = group;
    this.ownRows = ownRows;
    this.whole = whole;
    for (int step = 1; step < group.size(); step++) {
      received.add(group.receive(context.queue(), shard(whole, ownerAt(step)), neighbour(-1)));
    }
  }

  /** Multiplies, shard after shard, from this rank's on backwards. */
  void multiply(RowProduct product, Tensor yTN) {
    Tensor rows = ownRows;
    for (int step = 0; step < group.size(); step++) {
      if (step > 0) {
        context.queue().await(received.get(step - 1).event());
        rows = shard(whole, ownerAt(step));
      }
      if (step < group.size() - 1) {
        sent.add(group.send(context.queue(), rows, neighbour(1)));
      }
      product.multiply(context.queue(), rows, shard(yTN, ownerAt(step)));
    }
    sent.forEach(pending -> context.queue().await(pending.event()));
  }

  @Override
  public Tensor whole() {
    if (!ownRowsAreThere) {
      context.device().kernels().elementwise().copy(context.queue(), ownRows, shard(whole, group.rank()));
      ownRowsAreThere = true;
    }
    return whole;
  }

  @Override
  public void close() {
    whole.close();
  }

  /** Whose rows are at hand at a step. */
  private int ownerAt(int step) {
    return neighbour(-step);
  }

  private int neighbour(int distance) {
    return Math.floorMod(group.rank() + distance, group.size());
  }

  private Tensor shard(Tensor rows, int owner) {
    long count = rows.shape().dim(0) / group.size();
    return rows.rows(owner * count, count);
  }
}
