package io.hirundo.trainer.internal.plan;

import io.hirundo.command.Interruption;
import java.io.PrintStream;
import java.util.Locale;
import java.util.concurrent.CancellationException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

/**
 * How far a plan is: on a terminal one line that changes, elsewhere a line now and then. Ends it with a
 * {@link CancellationException} when the user wishes.
 */
public final class PlanProgress implements DryRun.Watch {
  private static final long TERMINAL_INTERVAL_NANOS = 200_000_000;
  private static final long PLAIN_INTERVAL_NANOS = 15_000_000_000L;

  private final Interruption interruption;
  private final PrintStream err;
  private final boolean isTerminal;
  private final LongSupplier nanoClock;
  private final AtomicLong shownNanos;
  private final AtomicLong messages = new AtomicLong();
  private final AtomicInteger stepsDone = new AtomicInteger();
  private volatile int ranks;
  private volatile int steps;

  public PlanProgress(Interruption interruption, PrintStream err, boolean isTerminal, LongSupplier nanoClock) {
    this.interruption = interruption;
    this.err = err;
    this.isTerminal = isTerminal;
    this.nanoClock = nanoClock;
    this.shownNanos = new AtomicLong(nanoClock.getAsLong());
  }

  /** A plan may count twice: each time it begins anew. */
  @Override
  public void begin(int ofRanks, int ofSteps) {
    ranks = ofRanks;
    steps = ofSteps;
    messages.set(0);
    stepsDone.set(0);
    look();
  }

  @Override
  public void rankBegins() {
    look();
  }

  @Override
  public void message() {
    messages.incrementAndGet();
    look();
  }

  @Override
  public void stepDone() {
    stepsDone.incrementAndGet();
    look();
  }

  private void look() {
    if (interruption.isRequested()) {
      throw new CancellationException("planning was cut short");
    }
    long now = nanoClock.getAsLong();
    long shown = shownNanos.get();
    // Of ranks that come at the same time one says it.
    if (now - shown >= (isTerminal ? TERMINAL_INTERVAL_NANOS : PLAIN_INTERVAL_NANOS) && shownNanos.compareAndSet(shown, now)) {
      String line =
          String.format(
              Locale.ROOT, "plan of %d ranks: %d of %d steps counted, %d messages", ranks, stepsDone.get(), steps, messages.get());
      err.print(isTerminal ? "\r" + line + "\033[K" : line + "\n");
      err.flush();
    }
  }

  /** Takes the changing line away. */
  public void end() {
    if (isTerminal) {
      err.print("\r\033[K");
      err.flush();
    }
  }
}
