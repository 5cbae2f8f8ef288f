package io.hirundo.testkit.fabric;

import io.hirundo.device.Event;
import io.hirundo.device.Queue;
import java.time.Duration;

/** A queue whose events do not happen; an interrupt ends the wait. */
final class StuckQueue implements Queue {
    @Override
    public Event record() {
        return new Event() {
            @Override
            public boolean hasHappened() {
                return false;
            }

            @Override
            public void await() {
                try {
                    Thread.sleep(Duration.ofMinutes(5));
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
            }
        };
    }

    @Override
    public void await(Event event) {}

    @Override
    public void drain() {}

    @Override
    public void close() {}
}
