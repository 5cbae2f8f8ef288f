package io.hirundo.commlocal.internal;

import io.hirundo.device.Event;
import io.hirundo.device.Queue;
import io.hirundo.mesh.Pending;
import java.time.Duration;

/** Ends with the caller's own queue, so that no other rank can hold it up. */
record QueuedPending(LocalWorld world, String name, Queue queue, Event event) implements Pending {
  @Override
  public void await(Duration deadline) {
    world.requireAlive(name);
    if (!event.hasHappened()) {
      queue.drain();
    }
  }
}
