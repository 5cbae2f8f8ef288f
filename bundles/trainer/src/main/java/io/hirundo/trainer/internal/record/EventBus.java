package io.hirundo.trainer.internal.record;

import io.hirundo.event.TrainingEvent;
import io.hirundo.event.TrainingListener;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

/** Sends events to the configured monitors and to the currently registered listeners. */
public final class EventBus implements TrainingListener {
    private final Supplier<List<TrainingListener>> monitors;
    private final Supplier<List<TrainingListener>> whiteboard;
    private final MissedEvents missed;

    /** Both suppliers are called for every event, so that listeners can come and go. */
    public EventBus(Supplier<List<TrainingListener>> monitors, Supplier<List<TrainingListener>> whiteboard) {
        this(monitors, whiteboard, new MissedEvents());
    }

    private EventBus(
            Supplier<List<TrainingListener>> monitors,
            Supplier<List<TrainingListener>> whiteboard,
            MissedEvents missed) {
        this.monitors = monitors;
        this.whiteboard = whiteboard;
        this.missed = missed;
    }

    /** An event bus without listeners, which shares this one's count of missed events. */
    public EventBus silenced() {
        return new EventBus(List::of, List::of, missed);
    }

    /** A copy with one more monitor. */
    public EventBus with(TrainingListener monitor) {
        return new EventBus(
                () -> {
                    var more = new ArrayList<>(monitors.get());
                    more.add(monitor);
                    return more;
                },
                whiteboard,
                missed);
    }

    /** Events that failing listeners of this event bus and its copies missed. */
    public MissedEvents missed() {
        return missed;
    }

    /** Asks every listener to check the directory; an exception from one rejects the run. */
    @Override
    public void requireWritable(Path directory) {
        monitors.get().forEach(listener -> listener.requireWritable(directory));
        whiteboard.get().forEach(listener -> listener.requireWritable(directory));
    }

    @Override
    public void on(TrainingEvent event) {
        monitors.get().forEach(listener -> deliver(listener, event));
        whiteboard.get().forEach(listener -> deliver(listener, event));
    }

    /** Sends an event to one listener. */
    public void deliver(TrainingListener listener, TrainingEvent event) {
        missed.deliver(listener, event.getClass().getSimpleName(), () -> listener.on(event));
    }
}
