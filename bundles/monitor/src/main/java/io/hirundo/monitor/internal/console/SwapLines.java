package io.hirundo.monitor.internal.console;

import io.hirundo.command.Quantity;
import io.hirundo.event.TrainingEvent.AuditFound;
import io.hirundo.event.TrainingEvent.ChangeRejected;
import io.hirundo.event.TrainingEvent.RunPaused;
import io.hirundo.event.TrainingEvent.RunResumed;
import io.hirundo.event.TrainingEvent.RunRolledBack;
import io.hirundo.event.TrainingEvent.StrategiesChanged;
import java.util.Locale;

/** Console lines for strategy swaps, pauses and audit findings. */
record SwapLines(Style style) {
    String changed(StrategiesChanged event) {
        return style.strong(String.join("; ", event.changes()))
                + " in " + Quantity.duration(event.pauseNanos())
                + style.faint(" (" + event.reason() + (event.parity().isEmpty() ? "" : "; " + event.parity()) + ")");
    }

    String rejected(ChangeRejected event) {
        String wanted = event.wanted().isEmpty() ? "a change" : String.join(" ", event.wanted());
        return style.alarm("rejected " + wanted) + ": " + event.reason();
    }

    String audit(AuditFound event) {
        return style.alarm("audit: wrong " + event.operation() + " of " + event.place())
                + String.format(
                        Locale.ROOT,
                        " in step %d on rank %d: [%d, %d] is %.9g, expected %.9g within %.3g",
                        event.step(),
                        event.rank(),
                        event.row(),
                        event.column(),
                        event.found(),
                        event.expected(),
                        event.bound())
                + (event.replay().isEmpty() ? "" : "; " + event.replay());
    }

    String rolledBack(RunRolledBack event) {
        return style.alarm("rolled back to step " + event.step()) + " from step " + event.from() + ": "
                + event.reason();
    }

    String paused(RunPaused event) {
        return style.alarm("paused") + ": " + event.reason();
    }

    String resumed(RunResumed event) {
        return "resumed after " + Quantity.duration(event.pauseNanos());
    }
}
