package io.hirundo.trainer.internal.plan;

import io.hirundo.command.Interruption;
import io.hirundo.lib.terminal.LiveLine;
import java.io.PrintStream;
import java.time.Duration;
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
  private static final Duration ELSEWHERE = Duration.ofSeconds(15);

  private final Interruption interruption;
  private final LiveLine line;
  private final AtomicLong messages = new AtomicLong();
  private final AtomicInteger stepsDone = new AtomicInteger();
  private volatile int ranks;
  private volatile int steps;

  public PlanProgress(Interruption interruption, PrintStream err, boolean isTerminal, LongSupplier nanoClock) {
    this.interruption = interruption;
    this.line = new LiveLine(err, isTerminal, nanoClock, ELSEWHERE);
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
    line.show(
        () ->
            String.format(
                Locale.ROOT, "plan of %d ranks: %d of %d steps counted, %d messages", ranks, stepsDone.get(), steps, messages.get()));
  }

  /** Erases the line. */
  public void end() {
    line.end();
  }
}
