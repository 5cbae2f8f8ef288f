package io.hirundo.trainer.internal.loop;

import io.hirundo.UnavailableException;
import io.hirundo.command.Interruption;
import io.hirundo.event.TrainingEvent.StepMetrics;
import io.hirundo.event.TrainingListener;
import io.hirundo.train.Decision;
import io.hirundo.train.RunStatus;
import io.hirundo.trainer.internal.audit.AuditReaction;
import io.hirundo.trainer.internal.checkpoint.RunSaves;
import io.hirundo.trainer.internal.config.ConfigurationDifference;
import io.hirundo.trainer.internal.config.RunConfiguration;
import io.hirundo.trainer.internal.session.LocalRun;
import io.hirundo.trainer.internal.steer.ChangeRequest;
import io.hirundo.trainer.internal.steer.RunSteering;
import io.hirundo.trainer.internal.step.StepSignals;
import io.hirundo.trainer.internal.strategy.RunStrategies;
import io.hirundo.trainer.internal.swap.Pause;
import io.hirundo.trainer.internal.swap.StrategySwap;
import io.hirundo.trainer.internal.swap.SwapLossMonitor;
import java.util.List;
import java.util.Optional;

/**
 * What happens between two steps where anything is to happen: wishes are granted or refused, bundles that have gone are let go
 * and replaced, pauses are waited out. All processes of a run look at the same wish after the same step.
 */
final class StepBoundary implements AutoCloseable {
  private final LocalRun run;
  private final RunStrategies strategies;
  private final StrategySwap swap;
  private final RunSaves saves;
  private final RunSteering steering;
  private final Interruption interruption;
  private final OfferChanges offers;
  private final Pause pause;
  private final AuditReaction audit;
  private final SwapLossMonitor watch = new SwapLossMonitor();
  private boolean stopAsked;

  /** Listens from now on to what comes and goes. */
  StepBoundary(
      LocalRun run,
      RunStrategies strategies,
      StrategySwap swap,
      RunSaves saves,
      RunSteering steering,
      TrainingListener events,
      Interruption interruption) {
    this.run = run;
    this.strategies = strategies;
    this.swap = swap;
    this.saves = saves;
    this.steering = steering;
    this.interruption = interruption;
    this.pause = new Pause(run, strategies, events);
    this.audit = new AuditReaction(new AuditAccess(run, saves, pause, events), run.configuration().audit());
    this.offers = new OfferChanges(run, strategies, swap);
    tell(Double.NaN, 0);
    steering.tell(strategies.inUse());
  }

  /** What this process has to tell the others with the step; asked in every step. */
  StepSignals signals() {
    return new StepSignals(
        interruption.isRequested(),
        offers.haveChanged() || steering.isWaiting() || saves.haveFailed() || run.audits().haveNews(),
        saves.isTimeUp());
  }

  /**
   * Before something is saved: waits for what is being audited.
   *
   * @param end whether no step is to follow
   * @return whether the run is at an earlier step now, and there is nothing to save
   */
  boolean lookAtAudit(boolean end) {
    return audit.look(!end);
  }

  /** Whether the run is to stand still. */
  boolean isPaused() {
    return pause.isOn();
  }

  /** Whether somebody wished that the run ends. */
  boolean isStopAsked() {
    return stopAsked;
  }

  /** After each step, with its figures; {@link #visit} where any rank has something to be looked at. */
  void stepDone(StepMetrics metrics) {
    tell(metrics.loss(), metrics.tokensPerSecond());
    if (watch.jumpsAt(metrics.loss())) {
      run.endStep();
      swap.undo(
          "the loss rose to " + metrics.loss() + ", above " + watch.limit() + ", after the last change (swap.watchRise)");
      steering.tell(strategies.inUse());
      run.resetClock();
    }
  }

  /**
   * Looks at what is wanted until there is nothing more, and returns when the next step can be done, or the run is to end.
   *
   * @throws UnavailableException when what is missing did not come back in time
   */
  void visit() {
    pause.restartClock();
    boolean again = true;
    while (again) {
      Optional<Answer> answer = round();
      if (pause.announce()) {
        tell(steering.status().progress().loss(), 0);
      }
      // Whoever asked finds the state that the answer speaks of.
      answer.ifPresent(Answer::give);
      boolean waits = pause.isOn() && !stopAsked;
      if (waits) {
        pause.waitAMoment();
      }
      again = waits || answer.isPresent();
    }
    // Refused or granted, it was no step.
    run.resetClock();
  }

  /** The decision on a wish; only the process that was asked has somebody who waits for it. */
  private record Answer(Optional<RunSteering.Waiting> waiting, Decision decision) {
    void give() {
      waiting.ifPresent(asker -> asker.decision().complete(decision));
    }
  }

  /** One look of all processes at the same things; empty where nobody wished for anything. */
  private Optional<Answer> round() {
    var first = steering.next();
    try {
      return decide(first);
    } catch (RuntimeException | Error failure) {
      new Answer(first, refused("the run ended: " + failure.getMessage())).give();
      throw failure;
    }
  }

  private Optional<Answer> decide(Optional<RunSteering.Waiting> first) {
    boolean changed = offers.takeChanged();
    // A line of flags, then the wish: only the leading process has any.
    String own = (interruption.isRequested() ? "stop " : "") + (changed ? "offers " : "")
        + (saves.haveFailed() ? "unsaved " : "") + (run.audits().haveNews() ? "audit " : "") + "\n" + first.map(waiting -> waiting.wish().line()).orElse("");
    List<String> said = run.exchange(own);
    stopAsked |= said.stream().anyMatch(text -> flags(text).contains("stop"));
    if (said.stream().anyMatch(text -> flags(text).contains("offers")) && offers.follow()) {
      steering.tell(strategies.inUse());
    }
    Optional<String> wish = said.stream().map(StepBoundary::wish).filter(text -> !text.isEmpty()).findFirst();
    if (said.stream().anyMatch(text -> flags(text).contains("unsaved"))) {
      saves.settle();
    }
    saves.tellEnded();
    // Where something has gone, a finding waits until it is back: neither a save nor a rollback would work.
    if (said.stream().anyMatch(text -> flags(text).contains("audit")) && strategies.missing().isEmpty()) {
      audit.look(true);
    }
    var answer = wish.map(line -> new Answer(first, grant(ChangeRequest.parse(line))));
    steering.tell(strategies.inUse());
    return answer;
  }

  private static String flags(String text) {
    return text.substring(0, text.indexOf('\n'));
  }

  private static String wish(String text) {
    return text.substring(text.indexOf('\n') + 1);
  }

  private Decision grant(ChangeRequest wish) {
    return switch (wish) {
      case ChangeRequest.Change change -> change(change);
      case ChangeRequest.Order order ->
          switch (order) {
            case SAVE -> save();
            case PAUSE -> {
              pause.ask(true);
              yield done("paused");
            }
            case RESUME -> {
              pause.ask(false);
              yield pause.isOn() ? refused(pause.reason()) : done("goes on");
            }
            case STOP -> {
              stopAsked = true;
              var checkpoint = run.configuration().checkpoint();
              boolean saved = checkpoint.atEnd() && checkpoint.strategy() != null;
              yield done(saved ? "saves and ends" : "ends; nothing is saved (checkpoint.atEnd, checkpoint.strategy)");
            }
          };
    };
  }

  private Decision change(ChangeRequest.Change change) {
    RunConfiguration before = run.configuration();
    Decision decision = swap.change(change.assignments(), watch.isOn());
    if (decision.granted() && ConfigurationDifference.between(before, run.configuration()).touchesLearning()) {
      var section = run.configuration().swap();
      watch.begin(section.watchSteps(), section.watchRise());
    }
    return decision;
  }

  private Decision save() {
    if (!strategies.missing().isEmpty()) {
      return refused(strategies.missing());
    }
    if (audit.look(true)) {
      return refused("the run has just been rolled back to step " + run.stepsDone() + ", which is saved");
    }
    return saves.saveNow()
        .map(saved -> done("saved " + saved.path()))
        .orElseGet(() -> refused("checkpoint.strategy is null: the run keeps no checkpoints"));
  }

  private Decision done(String message) {
    return new Decision(true, run.stepsDone(), message);
  }

  private Decision refused(String reason) {
    return new Decision(false, run.stepsDone(), reason);
  }

  private void tell(double loss, double tokensPerSecond) {
    var training = run.configuration().training();
    steering.tell(
        pause.isOn() ? RunStatus.State.PAUSED : RunStatus.State.RUNNING,
        pause.reason(),
        new RunStatus.Progress(
            run.stepsDone(), training.steps(), run.stepsDone() * training.globalBatch(), loss, tokensPerSecond));
  }

  @Override
  public void close() {
    offers.close();
    steering.close();
  }
}
