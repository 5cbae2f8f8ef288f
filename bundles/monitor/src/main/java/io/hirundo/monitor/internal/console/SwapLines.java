package io.hirundo.monitor.internal.console;

import io.hirundo.command.Quantity;
import io.hirundo.event.TrainingEvent.ChangeRefused;
import io.hirundo.event.TrainingEvent.RunPaused;
import io.hirundo.event.TrainingEvent.RunResumed;
import io.hirundo.event.TrainingEvent.StrategiesChanged;

/** What a console says of strategies that are replaced, and of pauses. */
record SwapLines(Style style) {
  String changed(StrategiesChanged event) {
    return style.strong(String.join("; ", event.changes()))
        + " in " + Quantity.duration(event.pauseNanos())
        + style.faint(" (" + event.reason() + (event.parity().isEmpty() ? "" : "; " + event.parity()) + ")");
  }

  String refused(ChangeRefused event) {
    String wanted = event.wanted().isEmpty() ? "a change" : String.join(" ", event.wanted());
    return style.alarm("refused " + wanted) + ": " + event.reason();
  }

  String paused(RunPaused event) {
    return style.alarm("paused") + ": " + event.reason();
  }

  String resumed(RunResumed event) {
    return "goes on after " + Quantity.duration(event.pauseNanos());
  }
}
