package io.hirundo.trainer.internal.run;

import io.hirundo.StorageException;
import java.util.logging.ErrorManager;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.logging.SimpleFormatter;

/**
 * While it is open, what any bundle logs is in a rank's {@code log.txt} too: which jars came and went, what was refused, and
 * every warning that the console has shown. Whoever logs is not disturbed where that file cannot be written.
 */
final class LoggedMessages extends Handler implements AutoCloseable {
  private final RunLog log;

  LoggedMessages(RunLog log) {
    this.log = log;
    setFormatter(new SimpleFormatter());
    Logger.getLogger("").addHandler(this);
  }

  @Override
  public void publish(LogRecord message) {
    if (!isLoggable(message)) {
      return;
    }
    try {
      log.message(message.getLevel().getName(), getFormatter().formatMessage(message), message.getThrown());
    } catch (StorageException failure) {
      reportError(failure.getMessage(), failure, ErrorManager.WRITE_FAILURE);
    }
  }

  @Override
  public void flush() {}

  @Override
  public void close() {
    Logger.getLogger("").removeHandler(this);
  }
}
