package io.hirundo.tokenizerhf.internal.train;

import io.hirundo.lib.terminal.LiveLine;
import java.io.PrintStream;
import java.util.Locale;

/** What long work says on standard error: on a terminal one line that changes, elsewhere only what is done. */
final class Progress {
  private final LiveLine line;

  Progress(PrintStream err, boolean isTerminal) {
    this.line = new LiveLine(err, isTerminal, System::nanoTime);
  }

  /** How far it is, unless that was said a moment ago. */
  void show(String format, Object... values) {
    line.show(() -> String.format(Locale.ROOT, format, values));
  }

  /** Takes the changing line away; what comes next has room. */
  void end() {
    line.end();
  }

  /** A line that stays. */
  void say(String format, Object... values) {
    line.say(String.format(Locale.ROOT, format, values));
  }
}
