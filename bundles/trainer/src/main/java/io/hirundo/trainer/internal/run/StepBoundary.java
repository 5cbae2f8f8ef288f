package io.hirundo.trainer.internal.run;

import io.hirundo.UnavailableException;
import io.hirundo.checkpoint.CheckpointInfo;
import io.hirundo.command.Interruption;
import io.hirundo.event.TrainingEvent;
import io.hirundo.event.TrainingEvent.StepMetrics;
import io.hirundo.event.TrainingListener;
import io.hirundo.train.Decision;
import io.hirundo.train.RunStatus;
import io.hirundo.trainer.internal.steer.RunSteering;
import io.hirundo.trainer.internal.steer.Wish;
import io.hirundo.trainer.internal.strategy.Lease;
import io.hirundo.trainer.internal.strategy.StrategyCatalog;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * What happens between two steps where anything is to happen: wishes are granted or refused, bundles that have gone are let go
 * and replaced, pauses are waited out. All processes of a run look at the same wish after the same step.
 */
final class StepBoundary implements AutoCloseable {
  private static final long LOOK_MILLIS = 50;

  private final OpenRun run;
  private final RunStrategies strategies;
  private final StrategySwap swap;
  private final Supplier<Optional<CheckpointInfo>> save;
  private final RunSteering steering;
  private final TrainingListener events;
  private final Interruption interruption;
  private final StrategyCatalog.Registration registration;
  private final LossWatch watch = new LossWatch();
  /** Whether an offer has come or gone since the last look. */
  private final AtomicBoolean offersChanged = new AtomicBoolean();
  private String pausedBecause = "";
  private long missingSinceNanos;
  private boolean pauseAsked;
  private boolean stopAsked;

  /** {@code save}: saves the training state now. */
  StepBoundary(
      OpenRun run,
      RunStrategies strategies,
      StrategySwap swap,
      Supplier<Optional<CheckpointInfo>> save,
      RunSteering steering,
      TrainingListener events,
      Interruption interruption) {
    this.run = run;
    this.strategies = strategies;
    this.swap = swap;
    this.save = save;
    this.steering = steering;
    this.events = events;
    this.interruption = interruption;
    this.registration = strategies.catalog().onChange(() -> offersChanged.set(true));
    // What came or went while the run was being opened.
    offersChanged.set(true);
    tell(RunStatus.State.RUNNING, Double.NaN, 0);
    steering.tell(strategies.inUse());
  }

  /** What this process has to tell the others with the step; asked in every step. */
  Signals signals() {
    return new Signals(interruption.isRequested(), offersChanged.get() || steering.isWaiting());
  }

  /** Whether somebody wished that the run ends. */
  boolean isStopAsked() {
    return stopAsked;
  }

  /** After each step, with its figures; {@link #visit} where any rank has something to be looked at. */
  void stepDone(StepMetrics metrics) {
    tell(RunStatus.State.RUNNING, metrics.loss(), metrics.tokensPerSecond());
    if (watch.jumpsAt(metrics.loss())) {
      swap.undo(
          "the loss rose to " + metrics.loss() + ", above " + watch.limit() + ", after the last change (swap.watchRise)");
      steering.tell(strategies.inUse());
    }
  }

  /**
   * Looks at what is wanted until there is nothing more, and returns when the next step can be done, or the run is to end.
   *
   * @throws UnavailableException when what is missing did not come back in time
   */
  void visit() {
    long pauseBegin = System.nanoTime();
    missingSinceNanos = pauseBegin;
    boolean again = true;
    while (again) {
      again = round();
      again |= isPaused() && !stopAsked;
      announce(pauseBegin);
      if (isPaused() && !stopAsked) {
        sleep();
        requireInTime();
      }
    }
  }

  private boolean isPaused() {
    return pauseAsked || !missing().isEmpty();
  }

  private String missing() {
    return strategies.missing();
  }

  /** One look of all processes at the same things; whether there may be more. */
  private boolean round() {
    var first = steering.next();
    boolean changed = offersChanged.getAndSet(false);
    // A line of flags, then the wish: only the leading process has any.
    String own = (interruption.isRequested() ? "stop " : "") + (changed ? "offers " : "") + "\n"
        + first.map(waiting -> waiting.wish().line()).orElse("");
    List<String> said = run.exchange(own);
    stopAsked |= said.stream().anyMatch(text -> flags(text).contains("stop"));
    if (said.stream().anyMatch(text -> flags(text).contains("offers"))) {
      followOffers();
    }
    String wish = said.stream().map(StepBoundary::wish).filter(text -> !text.isEmpty()).findFirst().orElse("");
    if (!wish.isEmpty()) {
      try {
        Decision decision = grant(Wish.parse(wish));
        steering.tell(strategies.inUse());
        first.ifPresent(waiting -> waiting.decision().complete(decision));
      } catch (RuntimeException | Error failure) {
        first.ifPresent(waiting -> waiting.decision().complete(refused("the run ended: " + failure.getMessage())));
        throw failure;
      }
    }
    return !wish.isEmpty();
  }

  private static String flags(String text) {
    return text.substring(0, text.indexOf('\n'));
  }

  private static String wish(String text) {
    return text.substring(text.indexOf('\n') + 1);
  }

  private Decision grant(Wish wish) {
    return switch (wish) {
      case Wish.Change change -> change(change);
      case Wish.Order order ->
          switch (order) {
            case SAVE -> save();
            case PAUSE -> {
              pauseAsked = true;
              yield done("paused");
            }
            case RESUME -> {
              pauseAsked = false;
              yield missing().isEmpty() ? done("goes on") : refused(missing());
            }
            case STOP -> {
              stopAsked = true;
              yield done("saves and ends");
            }
          };
    };
  }

  private Decision change(Wish.Change change) {
    Decision decision = swap.change(change.assignments(), watch.isOn());
    if (decision.granted()) {
      var section = run.configuration().swap();
      watch.begin(section.watchSteps(), section.watchRise());
    }
    return decision;
  }

  private Decision save() {
    if (!missing().isEmpty()) {
      return refused(missing());
    }
    return save.get()
        .map(saved -> done("saved " + saved.path()))
        .orElseGet(() -> refused("checkpoint.strategy is null: the run keeps no checkpoints"));
  }

  private Decision done(String message) {
    return new Decision(true, run.stepsDone(), message);
  }

  private Decision refused(String reason) {
    return new Decision(false, run.stepsDone(), reason);
  }

  /** Takes what serves now in the place of what has gone; where nothing does, lets go and waits. */
  private void followOffers() {
    String stale =
        strategies.stale().stream().map(lease -> lease.path() + " " + lease.offer().name()).collect(Collectors.joining(", "));
    boolean any = run.exchange(stale + strategies.missing()).stream().anyMatch(text -> !text.isEmpty());
    if (!any) {
      return;
    }
    Decision decision = swap.refresh("bundles came or went: " + (stale.isEmpty() ? missing() : stale));
    if (!decision.granted()) {
      // Gone in one process is gone for all: none can do a step without the others.
      String gone = strategies.gone().stream().map(Lease::path).collect(Collectors.joining(" "));
      swap.letGo(run.exchange(gone).stream().flatMap(text -> Stream.of(text.split(" "))).collect(Collectors.toSet()));
    }
    steering.tell(strategies.inUse());
  }

  /** Tells of a pause when it begins and when it ends. */
  private void announce(long pauseBegin) {
    String because = !missing().isEmpty() ? missing() : pauseAsked ? "asked for" : "";
    if (because.equals(pausedBecause)) {
      return;
    }
    pausedBecause = because;
    if (because.isEmpty()) {
      events.on(new TrainingEvent.RunResumed(run.stepsDone(), System.nanoTime() - pauseBegin));
      run.resetClock();
    } else {
      events.on(new TrainingEvent.RunPaused(run.stepsDone(), because));
    }
    tell(because.isEmpty() ? RunStatus.State.RUNNING : RunStatus.State.PAUSED, steering.status().progress().loss(), 0);
  }

  /** Ends the run where what is missing has been waited for long enough; a pause that was asked for has no end of its own. */
  private void requireInTime() {
    long seconds = run.configuration().swap().waitSeconds();
    if (missing().isEmpty()) {
      missingSinceNanos = System.nanoTime();
    }
    boolean late = System.nanoTime() - missingSinceNanos > TimeUnit.SECONDS.toNanos(seconds);
    // One rank's clock decides for all.
    if (run.exchange(late ? "late" : "").stream().anyMatch(text -> !text.isEmpty())) {
      throw new UnavailableException(
          missing() + ", and did not come back within " + seconds + " s (swap.waitSeconds); bring the bundle back and continue with --resume");
    }
  }

  private static void sleep() {
    try {
      Thread.sleep(LOOK_MILLIS);
    } catch (InterruptedException asked) {
      Thread.currentThread().interrupt();
    }
  }

  private void tell(RunStatus.State state, double loss, double tokensPerSecond) {
    var training = run.configuration().training();
    steering.tell(
        state,
        pausedBecause,
        new RunStatus.Progress(
            run.stepsDone(), training.steps(), run.stepsDone() * training.globalBatch(), loss, tokensPerSecond));
  }

  @Override
  public void close() {
    registration.close();
    steering.close();
  }
}
