package io.hirundo.trainer.internal.record;

import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.logging.SimpleFormatter;

/**
 * While it is open, what any bundle logs is in a rank's {@code log.txt} too: which jars came and went, what was refused, and
 * every warning that the console has shown. Whoever logs is not disturbed where that file cannot be written: what it lacks
 * is counted as what a monitor missed.
 */
public final class LogCapture extends Handler implements AutoCloseable {
  private static final String KIND = "a logged message";

  private final RunLog log;
  private final MissedEvents missed;

  public LogCapture(RunLog log, MissedEvents missed) {
    this.log = log;
    this.missed = missed;
    setFormatter(new SimpleFormatter());
    Logger.getLogger("").addHandler(this);
  }

  @Override
  public void publish(LogRecord message) {
    if (!isLoggable(message)) {
      return;
    }
    // That a message was missed is itself logged, and comes here once more: only counted then.
    missed.deliver(
        log, KIND, () -> log.message(message.getLevel().getName(), getFormatter().formatMessage(message), message.getThrown()));
  }

  @Override
  public void flush() {}

  @Override
  public void close() {
    Logger.getLogger("").removeHandler(this);
  }
}
