package io.hirundo.checkpointdcp.internal.command;

import io.hirundo.command.Interruption;
import io.hirundo.command.Quantity;
import io.hirundo.command.Terminal;
import java.util.Locale;
import java.util.concurrent.CancellationException;

/** How much has been read, on one line of a terminal that changes; ends the reading when the user wishes. */
final class VerifyProgress {
  private static final long INTERVAL_NANOS = 200_000_000;

  private final boolean isTerminal = Terminal.isThere();
  private final Interruption interruption;
  private final String name;
  private final long bytes;
  private long readBytes;
  private long shownNanos = System.nanoTime();

  /** {@code bytes}: all that there is to read of what {@code name} says. */
  VerifyProgress(Interruption interruption, String name, long bytes) {
    this.interruption = interruption;
    this.name = name;
    this.bytes = bytes;
  }

  /** Throws {@link CancellationException} where the user has asked to stop. */
  void add(long more) {
    if (interruption.isRequested()) {
      throw new CancellationException();
    }
    readBytes += more;
    long now = System.nanoTime();
    if (isTerminal && now - shownNanos >= INTERVAL_NANOS) {
      shownNanos = now;
      System.err.printf(Locale.ROOT, "\r%s: %s of %s\033[K", name, Quantity.bytes(readBytes), Quantity.bytes(bytes));
      System.err.flush();
    }
  }

  /** Takes the line away. */
  void end() {
    if (isTerminal) {
      System.err.print("\r\033[K");
      System.err.flush();
    }
  }
}
