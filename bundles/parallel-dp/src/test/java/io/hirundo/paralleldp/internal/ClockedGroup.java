package io.hirundo.paralleldp.internal;

import io.hirundo.device.Event;
import io.hirundo.device.Queue;
import io.hirundo.mesh.Pending;
import io.hirundo.mesh.ProcessGroup;
import io.hirundo.mesh.Reduction;
import io.hirundo.tensor.Tensor;
import java.util.List;

/**
 * One of two ranks that do the same at the same time, on a clock that only work and messages advance. Messages follow one
 * another over a slow link, and move nothing.
 */
final class ClockedGroup implements ProcessGroup {
  private final double messageMillis;
  private double nowMillis;
  private double linkFreeMillis;

  ClockedGroup(double messageMillis) {
    this.messageMillis = messageMillis;
  }

  double nowMillis() {
    return nowMillis;
  }

  void work(double millis) {
    nowMillis += millis;
  }

  private Pending message() {
    linkFreeMillis = Math.max(linkFreeMillis, nowMillis) + messageMillis;
    double end = linkFreeMillis;
    Event event =
        new Event() {
          @Override
          public boolean hasHappened() {
            return nowMillis >= end;
          }

          @Override
          public void await() {
            nowMillis = Math.max(nowMillis, end);
          }
        };
    return () -> event;
  }

  @Override
  public int rank() {
    return 0;
  }

  @Override
  public List<Integer> ranks() {
    return List.of(0, 1);
  }

  @Override
  public Pending allReduce(Queue after, Tensor inPlace, Reduction reduction) {
    return message();
  }

  @Override
  public Pending allGather(Queue after, Tensor shard, Tensor whole) {
    return message();
  }

  @Override
  public Pending reduceScatter(Queue after, Tensor whole, Tensor shard) {
    return message();
  }

  @Override
  public Pending broadcast(Queue after, Tensor inPlace, int root) {
    return message();
  }

  @Override
  public Pending allToAll(Queue after, Tensor from, Tensor to) {
    return message();
  }

  @Override
  public Pending send(Queue after, Tensor tensor, int peer) {
    return message();
  }

  @Override
  public Pending receive(Queue after, Tensor tensor, int peer) {
    return message();
  }

  @Override
  public void barrier() {}
}
