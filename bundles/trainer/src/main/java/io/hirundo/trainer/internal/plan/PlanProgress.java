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
 * Shows the progress of a plan: a live line on a terminal, otherwise a line from time to time. Throws {@link CancellationException} when
 * the user interrupts the plan.
 */
public final class PlanProgress implements DryRun.Watch {
  private static final Duration LOG_INTERVAL = Duration.ofSeconds(15);

  private final Interruption interruption;
  private final LiveLine line;
  private final AtomicLong messages = new AtomicLong();
  private final AtomicInteger stepsDone = new AtomicInteger();
  private volatile int ranks;
  private volatile int steps;

  public PlanProgress(Interruption interruption, PrintStream err, boolean isTerminal, LongSupplier nanoClock) {
    this.interruption = interruption;
    this.line = new LiveLine(err, isTerminal, nanoClock, LOG_INTERVAL);
  }

  /** Resets the counts, because a plan may run two dry runs. */
  @Override
  public void begin(int ofRanks, int ofSteps) {
    ranks = ofRanks;
    steps = ofSteps;
    messages.set(0);
    stepsDone.set(0);
    update();
  }

  @Override
  public void rankBegins() {
    update();
  }

  @Override
  public void message() {
    messages.incrementAndGet();
    update();
  }

  @Override
  public void stepDone() {
    stepsDone.incrementAndGet();
    update();
  }

  private void update() {
    if (interruption.isRequested()) {
      throw new CancellationException("planning was cut short");
    }
    line.show(
        () ->
            String.format(
                Locale.ROOT, "plan of %d ranks: %d of %d steps counted, %d messages", ranks, stepsDone.get(), steps, messages.get()));
  }

  /** Erases the live line. */
  public void end() {
    line.end();
  }
}
