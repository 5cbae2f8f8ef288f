package io.hirundo.trainer.internal.swap;

import io.hirundo.UnavailableException;
import io.hirundo.event.TrainingEvent;
import io.hirundo.event.TrainingListener;
import io.hirundo.trainer.internal.session.LocalRun;
import io.hirundo.trainer.internal.strategy.RunStrategies;
import java.util.concurrent.TimeUnit;

/** Standing still between two steps: because somebody asked for it, or because something that the run works with is missing. */
public final class Pause {
  private static final long LOOK_MILLIS = 50;

  private final LocalRun run;
  private final RunStrategies strategies;
  private final TrainingListener events;
  private boolean asked;
  /** Why, where nobody asked for it. */
  private String cause = "asked for";
  private String announced = "";
  private long beginNanos;
  private long missingSinceNanos;

  public Pause(LocalRun run, RunStrategies strategies, TrainingListener events) {
    this.run = run;
    this.strategies = strategies;
    this.events = events;
  }

  /** Somebody asks for it, or for its end. */
  public void ask(boolean on) {
    asked = on;
    cause = "asked for";
  }

  /** Something in the run asks for it. */
  public void ask(String reason) {
    asked = true;
    cause = reason;
  }

  public boolean isOn() {
    return !reason().isEmpty();
  }

  /** Empty while the run goes on. */
  public String reason() {
    String missing = strategies.missing();
    return missing.isEmpty() && asked ? cause : missing;
  }

  /** A step has just ended: what is missing is missing from now on. */
  public void restartClock() {
    beginNanos = System.nanoTime();
    missingSinceNanos = beginNanos;
  }

  /** Tells of its begin and end, and of another reason; whether there was anything to tell. */
  public boolean announce() {
    String reason = reason();
    if (reason.equals(announced)) {
      return false;
    }
    announced = reason;
    if (reason.isEmpty()) {
      events.on(new TrainingEvent.RunResumed(run.stepsDone(), System.nanoTime() - beginNanos));
      run.resetClock();
    } else {
      events.on(new TrainingEvent.RunPaused(run.stepsDone(), reason));
    }
    return true;
  }

  /**
   * Waits a moment. A pause that was asked for may last; all processes call this together.
   *
   * @throws UnavailableException when what is missing has been waited for long enough
   */
  public void waitAMoment() {
    try {
      Thread.sleep(LOOK_MILLIS);
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
    }
    String missing = strategies.missing();
    if (missing.isEmpty()) {
      missingSinceNanos = System.nanoTime();
    }
    long seconds = run.configuration().swap().waitSeconds();
    boolean late = System.nanoTime() - missingSinceNanos > TimeUnit.SECONDS.toNanos(seconds);
    // One process's clock decides for all.
    if (run.exchange(late ? "late" : "").stream().anyMatch(text -> !text.isEmpty())) {
      throw new UnavailableException(
          missing + ", and did not come back within " + seconds
              + " s (swap.waitSeconds); bring the bundle back and continue with --resume");
    }
  }
}
