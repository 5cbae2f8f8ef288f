package io.hirundo.dataloader.internal.command;

import java.io.PrintStream;
import java.time.Duration;
import java.util.Locale;
import java.util.OptionalLong;
import java.util.function.LongSupplier;

/** How far the tokenizing has come: one line that is drawn again on a terminal, else a line now and then. */
final class TokenizeProgress implements TokenizePipeline.Progress {
  private static final long TERMINAL_NANOS = 200_000_000L;
  private static final long PLAIN_NANOS = 5_000_000_000L;

  private final PrintStream out;
  private final boolean terminal;
  private final OptionalLong expectedBytes;
  private final LongSupplier nanoTime;
  private final long beginNanos;
  private long shownNanos;
  private boolean shown;

  /**
   * Begins to measure.
   *
   * @param expectedBytes of text, where it is known
   */
  TokenizeProgress(PrintStream out, boolean terminal, OptionalLong expectedBytes, LongSupplier nanoTime) {
    this.out = out;
    this.terminal = terminal;
    this.expectedBytes = expectedBytes;
    this.nanoTime = nanoTime;
    beginNanos = nanoTime.getAsLong();
    shownNanos = beginNanos;
  }

  @Override
  public void done(long bytes, long tokens) {
    long now = nanoTime.getAsLong();
    if (now - shownNanos < (terminal ? TERMINAL_NANOS : PLAIN_NANOS)) {
      return;
    }
    shownNanos = now;
    shown = true;
    // Erase to the end of the line: the last one may have been longer.
    out.print(terminal ? "\r" + line(bytes, tokens, now - beginNanos) + "\033[K" : line(bytes, tokens, now - beginNanos) + "\n");
    out.flush();
  }

  private String line(long bytes, long tokens, long nanos) {
    String line = String.format(Locale.ROOT, "tokenizing  %s  %s/s  %,d tokens", share(bytes), ByteSize.show(rate(bytes, nanos)), tokens);
    if (expectedBytes.isEmpty() || bytes == 0) {
      return line;
    }
    long left = Math.max(0, expectedBytes.getAsLong() - bytes);
    var time = Duration.ofNanos((long) ((double) nanos * left / bytes));
    return line + String.format(Locale.ROOT, "  %d:%02d left", time.toMinutes(), time.toSecondsPart());
  }

  private String share(long bytes) {
    if (expectedBytes.isEmpty()) {
      return ByteSize.show(bytes);
    }
    return String.format(Locale.ROOT, "%3d%%", Math.min(100, 100 * bytes / Math.max(1, expectedBytes.getAsLong())));
  }

  private static long rate(long bytes, long nanos) {
    return (long) (bytes * 1e9 / Math.max(1, nanos));
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
