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

  private final Supplier<List<TrainingListener>> monitors;
  private final Supplier<List<TrainingListener>> whiteboard;

  /** Both are asked for every event, so that listeners can come and go. */
  public EventHub(Supplier<List<TrainingListener>> monitors, Supplier<List<TrainingListener>> whiteboard) {
    this.monitors = monitors;
    this.whiteboard = whiteboard;
  }

  /** Nobody listens. */
  static EventHub silent() {
    return new EventHub(List::of, List::of);
  }

  /** The same, and one more monitor. */
  EventHub with(TrainingListener monitor) {
    return new EventHub(
        () -> {
          var more = new ArrayList<>(monitors.get());
          more.add(monitor);
          return more;
        },
        whiteboard);
  }

  @Override
  public void on(TrainingEvent event) {
    monitors.get().forEach(listener -> deliver(listener, event));
    whiteboard.get().forEach(listener -> deliver(listener, event));
  }

  /** A monitor's failure must not end a training of days; it is told, not swallowed. */
  static void deliver(TrainingListener listener, TrainingEvent event) {
    try {
      listener.on(event);
    } catch (RuntimeException | LinkageError failure) {
      LOG.error("monitor {} failed on {}", listener.getClass().getName(), event.getClass().getSimpleName(), failure);
    }
  }
}
