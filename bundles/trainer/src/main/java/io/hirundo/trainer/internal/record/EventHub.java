package io.hirundo.trainer.internal.record;

import io.hirundo.event.TrainingEvent;
import io.hirundo.event.TrainingListener;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

/** Hands events to the configured monitors and to the listeners that are there at the moment. */
public final class EventHub implements TrainingListener {
  private final Supplier<List<TrainingListener>> monitors;
  private final Supplier<List<TrainingListener>> whiteboard;
  private final MissedEvents missed;

  /** Both are asked for every event, so that listeners can come and go. */
  public EventHub(Supplier<List<TrainingListener>> monitors, Supplier<List<TrainingListener>> whiteboard) {
    this(monitors, whiteboard, new MissedEvents());
  }

  private EventHub(
      Supplier<List<TrainingListener>> monitors, Supplier<List<TrainingListener>> whiteboard, MissedEvents missed) {
    this.monitors = monitors;
    this.whiteboard = whiteboard;
    this.missed = missed;
  }

  /** Nobody listens; what is added to it is counted here. */
  public EventHub silenced() {
    return new EventHub(List::of, List::of, missed);
  }

  /** The same, and one more monitor. */
  public EventHub with(TrainingListener monitor) {
    return new EventHub(
        () -> {
          var more = new ArrayList<>(monitors.get());
          more.add(monitor);
          return more;
        },
        whiteboard,
        missed);
  }

  /** What listeners of this hub, and of those made of it, missed because they failed. */
  public MissedEvents missed() {
    return missed;
  }

  /** Asks every listener; what one of them throws rejects the run. */
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

  /** To one listener. */
  public void deliver(TrainingListener listener, TrainingEvent event) {
    missed.deliver(listener, event.getClass().getSimpleName(), () -> listener.on(event));
  }
}
