package io.hirundo.trainer.internal.run;

import io.hirundo.event.TrainingEvent;
import io.hirundo.event.TrainingListener;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Hands events to the configured monitors and to the listeners that are there at the moment. */
public final class EventHub implements TrainingListener {
  private static final Logger LOG = LoggerFactory.getLogger(EventHub.class);

  private final List<TrainingListener> monitors;
  private final Supplier<List<TrainingListener>> whiteboard;

  public EventHub(List<TrainingListener> monitors, Supplier<List<TrainingListener>> whiteboard) {
    this.monitors = List.copyOf(monitors);
    this.whiteboard = whiteboard;
  }

  /** Nobody listens. */
  static EventHub silent() {
    return new EventHub(List.of(), List::of);
  }

  /** The same, and one more monitor. */
  EventHub with(TrainingListener monitor) {
    var more = new ArrayList<>(monitors);
    more.add(monitor);
    return new EventHub(more, whiteboard);
  }

  @Override
  public void on(TrainingEvent event) {
    monitors.forEach(listener -> deliver(listener, event));
    whiteboard.get().forEach(listener -> deliver(listener, event));
  }

  /** A monitor's failure must not end a training of days; it is told, not swallowed. */
  private static void deliver(TrainingListener listener, TrainingEvent event) {
    try {
      listener.on(event);
    } catch (RuntimeException failure) {
      LOG.error("monitor {} failed on {}", listener.getClass().getName(), event.getClass().getSimpleName(), failure);
    }
  }
}
