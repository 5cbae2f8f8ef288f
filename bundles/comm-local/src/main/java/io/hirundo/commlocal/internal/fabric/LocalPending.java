package io.hirundo.commlocal.internal.fabric;

import io.hirundo.commlocal.internal.collective.LocalCollective;
import io.hirundo.device.Event;
import io.hirundo.mesh.Pending;

/** One rank's view of a collective under way. */
record LocalPending(LocalCollective meeting, int place) implements Pending, Event {
  @Override
  public Event event() {
    return this;
  }

  @Override
  public boolean hasHappened() {
    return meeting.isSettled();
  }

  @Override
  public void await() {
    meeting.await(place);
  }
}
