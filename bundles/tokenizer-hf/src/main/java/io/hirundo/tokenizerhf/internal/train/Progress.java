package io.hirundo.tokenizerhf.internal.train;

import java.io.PrintStream;
import java.util.Locale;

/** What long work says on standard error: on a terminal one line that changes, elsewhere only what is done. */
final class Progress {
  private static final long INTERVAL_NANOS = 100_000_000;

  private final PrintStream err;
  private final boolean isTerminal;
  private long shownNanos = System.nanoTime() - INTERVAL_NANOS;
  private int shownChars;

  Progress(PrintStream err, boolean isTerminal) {
    this.err = err;
    this.isTerminal = isTerminal;
  }

  /** How far it is, unless that was said a moment ago. */
  void show(String format, Object... values) {
    if (isTerminal && System.nanoTime() - shownNanos >= INTERVAL_NANOS) {
      String text = String.format(Locale.ROOT, format, values);
      overwrite(text);
      shownChars = text.length();
      shownNanos = System.nanoTime();
    }
  }

  /** Takes the changing line away; what comes next has room. */
  void end() {
    overwrite("");
    if (isTerminal) {
      err.print("\r");
      err.flush();
    }
    shownChars = 0;
  }

  /** A line that stays. */
  void say(String format, Object... values) {
    overwrite(String.format(Locale.ROOT, format, values));
    err.println();
    shownChars = 0;
  }

  private void overwrite(String text) {
    err.print((isTerminal ? "\r" : "") + text + " ".repeat(Math.max(0, shownChars - text.length())));
    err.flush();
  }
}
