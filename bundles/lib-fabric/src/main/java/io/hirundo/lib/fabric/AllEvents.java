package io.hirundo.lib.fabric;

import io.hirundo.device.Event;
import java.util.List;

/** Happens when all of them have. */
record AllEvents(List<Event> events) implements Event {
    @Override
    public boolean hasHappened() {
        return events.stream().allMatch(Event::hasHappened);
    }

    @Override
    public void await() {
        events.forEach(Event::await);
    }
}
