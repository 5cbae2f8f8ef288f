package io.hirundo.lib.fabric.local;

import io.hirundo.device.Event;
import io.hirundo.mesh.Pending;

/** One rank's view of a collective under way. */
record LocalPending(LocalCollective collective, int place) implements Pending, Event {
    @Override
    public Event event() {
        return this;
    }

    @Override
    public boolean hasHappened() {
        return collective.isSettled();
    }

    @Override
    public void await() {
        collective.await(place);
    }
}
