package io.hirundo.paralleldp.internal;

import io.hirundo.device.Queue;
import io.hirundo.mesh.Pending;
import java.util.List;

/** Brings changed weights to every rank, a bucket at a time: the end of one gather starts the next. */
final class WeightGathers {
  private final List<Bucket> inOrder;
  private Pending current;
  /** Buckets of {@link #inOrder} that queues may read. */
  private int gathered;

  /**
   * @param inOrder those first that a forward needs first; empty where nothing has to be fetched
   */
  WeightGathers(List<Bucket> inOrder) {
    this.inOrder = List.copyOf(inOrder);
    this.gathered = inOrder.size();
  }

  /** Starts with the first. What is still on its way is out of date: its end is awaited, the rest is left out. */
  void restart(Queue queue) {
    awaitCurrent(queue);
    gathered = 0;
    startNext(queue);
  }

  /** Later work of the queue may read the first buckets. */
  void awaitFirst(Queue queue, int buckets) {
    while (gathered < Math.min(buckets, inOrder.size())) {
      awaitCurrent(queue);
      gathered++;
      startNext(queue);
    }
  }

  void awaitAll(Queue queue) {
    awaitFirst(queue, inOrder.size());
  }

  void awaitCurrent(Queue queue) {
    if (current != null) {
      Pending started = current;
      current = null;
      queue.await(started.event());
    }
  }

  private void startNext(Queue queue) {
    if (gathered < inOrder.size()) {
      current = inOrder.get(gathered).allGatherWeights(queue);
    }
  }
}
