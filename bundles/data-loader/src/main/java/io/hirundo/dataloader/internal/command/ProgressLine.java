package io.hirundo.dataloader.internal.command;

import java.io.PrintStream;
import java.util.function.LongFunction;
import java.util.function.LongSupplier;

/** How far something has come: one line that is drawn again on a terminal, else a line now and then. */
final class ProgressLine {
  private static final long TERMINAL_NANOS = 200_000_000L;
  private static final long PLAIN_NANOS = 5_000_000_000L;

  private final PrintStream out;
  private final boolean terminal;
  private final LongSupplier nanoTime;
  private final long beginNanos;
  private long shownNanos;
  private boolean shown;

  ProgressLine(PrintStream out, boolean terminal, LongSupplier nanoTime) {
    this.out = out;
    this.terminal = terminal;
    this.nanoTime = nanoTime;
    beginNanos = nanoTime.getAsLong();
    shownNanos = beginNanos;
  }

  /** Shows a line, if it is time for one; {@code line} makes it of the nanoseconds since the beginning. */
  void show(LongFunction<String> line) {
    long now = nanoTime.getAsLong();
    if (now - shownNanos < (terminal ? TERMINAL_NANOS : PLAIN_NANOS)) {
      return;
    }
    shownNanos = now;
    shown = true;
    String text = line.apply(now - beginNanos);
    // Erase to the end of the line: the last one may have been longer.
    out.print(terminal ? "\r" + text + "\033[K" : text + "\n");
    out.flush();
  }

  /** Takes the line away; what comes next has room. */
  void end() {
    if (terminal && shown) {
      out.print("\r\033[K");
      out.flush();
    }
  }

  long elapsedNanos() {
    return nanoTime.getAsLong() - beginNanos;
  }
}
