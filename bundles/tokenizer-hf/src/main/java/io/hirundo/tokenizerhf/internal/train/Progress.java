package io.hirundo.tokenizerhf.internal.train;

import io.hirundo.lib.terminal.LiveLine;
import java.io.PrintStream;
import java.util.Locale;

/** Progress on standard error: one live line on a terminal, elsewhere only completed work. */
final class Progress {
    private final LiveLine line;

    Progress(PrintStream err, boolean isTerminal) {
        this.line = new LiveLine(err, isTerminal, System::nanoTime);
    }

    /** Updates the live line, unless it was updated a moment ago. */
    void show(String format, Object... values) {
        line.show(() -> String.format(Locale.ROOT, format, values));
    }

    /** Clears the live line. */
    void end() {
        line.end();
    }

    /** Prints a permanent line. */
    void say(String format, Object... values) {
        line.say(String.format(Locale.ROOT, format, values));
    }
}
