package io.hirundo.itests.faults;

import java.io.PrintStream;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.SimpleFormatter;

/** Shows what the program shows: warnings and worse. */
final class Warnings extends Handler {
  private final PrintStream err;

  Warnings(PrintStream err) {
    this.err = err;
    setFormatter(new SimpleFormatter());
  }

  @Override
  public void publish(LogRecord entry) {
    if (entry.getLevel().intValue() >= Level.WARNING.intValue()) {
      err.println(entry.getLevel() + " " + getFormatter().formatMessage(entry));
      if (entry.getThrown() != null) {
        entry.getThrown().printStackTrace(err);
      }
    }
  }

  @Override
  public void flush() {
    err.flush();
  }

  @Override
  public void close() {}
}
