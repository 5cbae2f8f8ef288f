package io.hirundo.parallelcp.internal;

import io.hirundo.device.Queue;
import io.hirundo.mesh.Pending;
import io.hirundo.mesh.ProcessGroup;
import java.util.List;

/**
 * Keys and values, or their gradients, on their way round the ring: to the next rank, while those of the rank before arrive.
 *
 * @param sent what must not be overwritten before the end
 * @param received what must not be read before the end
 */
record Hop(KeyValue sent, KeyValue received, List<Pending> messages) {
  static Hop begin(ProcessGroup group, Queue queue, KeyValue sent, KeyValue received) {
    int next = (group.rank() + 1) % group.size();
    int previous = Math.floorMod(group.rank() - 1, group.size());
    return new Hop(
        sent,
        received,
        List.of(
            group.send(queue, sent.keyNGsD(), next),
            group.send(queue, sent.valueNGsD(), next),
            group.receive(queue, received.keyNGsD(), previous),
            group.receive(queue, received.valueNGsD(), previous)));
  }

  /** Later work of the queue may read what was received and overwrite what was sent. */
  void await(Queue queue) {
    messages.forEach(message -> queue.await(message.event()));
  }
}
