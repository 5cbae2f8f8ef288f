package io.hirundo.trainer.internal.run;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.hirundo.event.TrainingEvent;
import io.hirundo.event.TrainingListener;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class EventHubTest {
  private static final TrainingEvent EVENT = new TrainingEvent.RunFinished(3, false);

  @Test
  void aFailingMonitorDoesNotSilenceTheOthers() {
    var heard = new ArrayList<TrainingEvent>();
    TrainingListener failing =
        event -> {
          throw new IllegalStateException("a monitor that fails on purpose");
        };
    new EventHub(() -> List.of(failing, heard::add), () -> List.of(failing, heard::add)).on(EVENT);
    assertEquals(List.of(EVENT, EVENT), heard);
  }

  @Test
  void listenersMayComeAndGo() {
    var heard = new ArrayList<TrainingEvent>();
    var present = new ArrayList<TrainingListener>();
    var hub = new EventHub(List::of, () -> present);
    hub.on(EVENT);
    present.add(heard::add);
    hub.on(EVENT);
    assertEquals(1, heard.size());
  }
}
