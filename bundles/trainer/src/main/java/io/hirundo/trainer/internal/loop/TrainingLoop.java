package io.hirundo.trainer.internal.loop;

import io.hirundo.CheckpointException;
import io.hirundo.CommunicationException;
import io.hirundo.DivergedException;
import io.hirundo.HirundoException;
import io.hirundo.StorageException;
import io.hirundo.UnavailableException;
import io.hirundo.command.Interruption;
import io.hirundo.event.TrainingEvent;
import io.hirundo.event.TrainingEvent.StepMetrics;
import io.hirundo.trainer.internal.checkpoint.RunCheckpoints;
import io.hirundo.trainer.internal.checkpoint.RunSaves;
import io.hirundo.trainer.internal.config.ConfigurationBinder;
import io.hirundo.trainer.internal.config.Intervals;
import io.hirundo.trainer.internal.config.RunConfiguration;
import io.hirundo.trainer.internal.export.ModelTokenizer;
import io.hirundo.trainer.internal.export.StoredModel;
import io.hirundo.trainer.internal.record.EventHub;
import io.hirundo.trainer.internal.record.FingerprintFile;
import io.hirundo.trainer.internal.record.LogCapture;
import io.hirundo.trainer.internal.record.RunDirectory;
import io.hirundo.trainer.internal.record.RunLog;
import io.hirundo.trainer.internal.record.RunOutput;
import io.hirundo.trainer.internal.session.LocalRun;
import io.hirundo.trainer.internal.session.RunDescription;
import io.hirundo.trainer.internal.session.RunValidation;
import io.hirundo.trainer.internal.session.RunWarnings;
import io.hirundo.trainer.internal.steer.RunSteering;
import io.hirundo.trainer.internal.step.StepReport;
import io.hirundo.trainer.internal.strategy.RunStrategies;
import io.hirundo.trainer.internal.strategy.Strategies;
import io.hirundo.trainer.internal.swap.StrategySwap;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.CancellationException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A run from its first step to its last, in a run directory: events, validation, checkpoints, and the model at the end. */
public final class TrainingLoop {
  /**
   * How a run ended.
   *
   * @param step steps done
   * @param interrupted whether the user asked it to stop
   * @param hadEnded whether there was nothing to do: nothing was written then
   */
  public record Ending(long step, boolean interrupted, boolean hadEnded) {}

  private static final Logger LOG = LoggerFactory.getLogger(TrainingLoop.class);

  private final RunStrategies strategies;
  private final RunDirectory directory;
  private final EventHub events;
  private final RunSteering steering;
  private final Interruption interruption;
  /** Of the step that was last told of. */
  private Map<String, Long> messageBytes = Map.of();
  /** Whether the messages of the next step are not those of most: what comes before it leaves it more to do, or less. */
  private boolean nextIsUnlike;

  /** {@code steering}: where wishes come from. */
  public TrainingLoop(
      RunStrategies strategies,
      RunDirectory directory,
      EventHub events,
      RunSteering steering,
      Interruption interruption) {
    this.strategies = strategies;
    this.directory = directory;
    this.events = events;
    this.steering = steering;
    this.interruption = interruption;
  }

  private RunConfiguration configuration() {
    return strategies.configuration();
  }

  /**
   * Runs to the end.
   *
   * @param resume from the newest checkpoint
   * @throws StorageException also where all is done but metrics or a log could not be written
   */
  public Ending run(boolean resume) {
    requireTokenizer();
    requireWritable();
    Ending ending;
    try {
      ending = runOpened(resume);
    } catch (RuntimeException | Error failure) {
      events.missed().tell();
      throw failure;
    }
    // Only now: nothing else is to suffer from it.
    events.missed().requireFilesWhole();
    return ending;
  }

  private Ending runOpened(boolean resume) {
    try (LocalRun run = LocalRun.open(configuration(), strategies.strategies());
        var checkpoints = new RunCheckpoints(run, strategies, directory.checkpoints());
        var copies = checkpoints.copies()) {
      return run.orAbort(
          () -> {
            List<TrainingEvent> news;
            try {
              news = resume ? checkpoints.restore(interruption::isRequested) : copies.begin();
            } catch (CancellationException cutShort) {
              return new Ending(0, true, false);
            }
            if (resume && hasEnded(run)) {
              return new Ending(run.stepsDone(), false, true);
            }
            // Only now is it sure that there will be a run: one that could not begin leaves no trace.
            directory.writeConfiguration(ConfigurationBinder.json(configuration()));
            return runLogged(run, checkpoints, news);
          });
    }
  }

  /** Whether nothing is left to do after the last step, or more steps are done than are asked for. All processes find the same. */
  private boolean hasEnded(LocalRun run) {
    long steps = configuration().training().steps();
    if (run.stepsDone() != steps) {
      return run.stepsDone() > steps;
    }
    boolean ended = directory.leads() && directory.endedAt().equals(OptionalLong.of(steps));
    return run.exchange(Boolean.toString(ended)).getFirst().equals(Boolean.toString(true));
  }

  /** Before a device is opened and before the directory holds a run; whatever vanishes later is told when it is missed. */
  private void requireWritable() {
    var fabric = strategies.strategies().parallel().fabric();
    RunOutput.of(directory, configuration()).requireWritable(fabric.localRanks(configuration().mesh().mesh()));
    if (directory.leads()) {
      events.requireWritable(directory.path());
    }
  }

  /** What the model is to be written with, and writes samples with, is asked for before the first step. */
  private void requireTokenizer() {
    Strategies chosen = strategies.strategies();
    boolean samples = configuration().samples().areOn();
    if (directory.leads() && (configuration().model().export() || samples)) {
      new ModelTokenizer(chosen.data().tokenizer()).requireFor(chosen.model().architecture().describe());
    }
    if (samples) {
      RunSamples.requirePrompts(configuration().samples(), chosen.data().tokenizer().orElseThrow());
    }
  }

  /** {@code news}: of what happened before anybody could be told. */
  private Ending runLogged(LocalRun run, RunCheckpoints checkpoints, List<TrainingEvent> news) {
    // One process speaks for all, and each rank keeps its own log.
    EventHub all = directory.leads() ? events : events.silenced();
    List<RunLog> logs = openLogs(run);
    for (RunLog log : logs) {
      all = all.with(log);
    }
    if (directory.leads() && !configuration().fingerprints().steps().isEmpty()) {
      all = all.with(new FingerprintFile(directory.fingerprints()));
    }
    try (var _ = new LogCapture(logs.getFirst(), events.missed())) {
      return runTold(run, checkpoints, news, all);
    }
  }

  private Ending runTold(LocalRun run, RunCheckpoints checkpoints, List<TrainingEvent> news, EventHub all) {
    List<String> products = new RunDescription(run).products();
    try {
      all.on(new RunDescription(run).started(directory));
      if (!products.isEmpty()) {
        all.on(new TrainingEvent.ProductsListed(products));
      }
      news.forEach(all::on);
      if (run.stepsDone() == 0) {
        new StoredModel(run, directory).requireLoaded(all);
      }
      return steps(run, checkpoints, all);
    } catch (RuntimeException | Error failure) {
      endSaves(run, checkpoints, all, failure);
      all.on(new TrainingEvent.RunFailed(run.stepsDone(), failure));
      throw failure;
    }
  }

  private List<RunLog> openLogs(LocalRun run) {
    var logs = new ArrayList<RunLog>();
    var places = run.onEachRank(part -> part.model().describePlace());
    for (int index = 0; index < places.size(); index++) {
      int rank = run.ranks().numbers().get(index);
      var log = new RunLog(directory.log(rank), rank);
      log.strategies(configuration(), run.data().get().samples().describe(), places.get(index));
      logs.add(log);
    }
    return logs;
  }

  /** A save that all ranks took part in still becomes a checkpoint. Its copy is cut off, with a line. */
  private static void endSaves(LocalRun run, RunCheckpoints checkpoints, EventHub all, Throwable failure) {
    // First: ranks that are gone will not come, and are not to be waited for as if they would.
    run.ranks().abort(failure);
    try {
      checkpoints.close();
      new RunSaves(run, checkpoints, all).settle();
    } catch (HirundoException another) {
      failure.addSuppressed(another);
    }
    try {
      // Behind the last that may have been copied, and before nobody can be told any more.
      checkpoints.copies().close();
      checkpoints.copies().tell(all);
    } catch (RuntimeException another) {
      failure.addSuppressed(another);
    }
  }

  private Ending steps(LocalRun run, RunCheckpoints checkpoints, EventHub all) {
    var warnings = new RunWarnings(run, directory.leads());
    var swap = new StrategySwap(run, strategies, checkpoints, directory, all, warnings);
    swap.requireAgreement();
    warnings.tell();
    var saves = new RunSaves(run, checkpoints, all);
    run.resetClock();
    try (var boundary = new StepBoundary(run, strategies, swap, saves, steering, all, interruption)) {
      do {
        while (run.stepsDone() < configuration().training().steps() && !mustStop(run, boundary)) {
          doStep(run, boundary, saves, all);
        }
        // The last steps may turn out to be wrong: then they are done again.
      } while (boundary.lookAtAudit(true) && !mustStop(run, boundary));
      return finish(run, saves, all);
    } catch (UnavailableException missing) {
      keepWhatCanBe(run, saves, all, missing);
      throw missing;
    }
  }

  /** Of several processes all stop after the same step; one decides by itself. */
  private boolean mustStop(LocalRun run, StepBoundary boundary) {
    return boundary.isStopAsked() || run.lastStep().signals().stop() || (run.ranks().areAll() && interruption.isRequested());
  }

  private void doStep(LocalRun run, StepBoundary boundary, RunSaves saves, EventHub all) {
    StepMetrics metrics = run.step(boundary::signals);
    long step = run.stepsDone();
    all.on(new TrainingEvent.StepCompleted(step, metrics, run.ranks().ledger(0).liveBytes(), run.ranks().ledger(0).peakBytes()));
    StepReport news = run.lastStep();
    boolean measured = !news.rounding().isEmpty();
    // Where rounding is looked at values travel, and in the step after that codes anew; fingerprints are summed over ranks: no change
    // that is worth a line.
    if (!measured && news.fingerprints().isEmpty() && !nextIsUnlike && !news.messageBytes().equals(messageBytes)) {
      messageBytes = news.messageBytes();
      all.on(new TrainingEvent.MessagesCounted(step, messageBytes));
    }
    nextIsUnlike = measured;
    if (run.device().computes()) {
      requireFinite(step, "loss", metrics.loss());
      requireFinite(step, "gradient norm", metrics.gradientNorm());
    }
    if (measured) {
      all.on(new TrainingEvent.RoundingMeasured(step, news.rounding()));
    }
    news.fingerprints().ifPresent(all::on);
    news.kernelTimes().ifPresent(times -> all.on(new TrainingEvent.KernelsTimed(step, times)));
    boolean last = step == configuration().training().steps();
    long evaluationSteps = configuration().evaluation().everySteps();
    if (!last && Intervals.isDue(step, evaluationSteps)) {
      run.endStep();
      evaluate(run, all);
      // It had the new weights prepared, for which ranks may need messages.
      nextIsUnlike |= evaluationSteps > 1;
    }
    if (!last && Intervals.isDue(step, configuration().samples().everySteps())) {
      run.endStep();
      new RunSamples(run).write(interruption::isRequested).forEach(all::on);
    }
    boolean isSavedAtEnd = last && configuration().checkpoint().atEnd();
    if (!isSavedAtEnd && (news.signals().save() || Intervals.isDue(step, configuration().checkpoint().everySteps()))) {
      run.endStep();
      if (boundary.lookAtAudit(false)) {
        return;
      }
      // A pause has saved this step.
      if (!boundary.isPaused()) {
        saves.begin();
      }
    }
    saves.tellEnded();
    boundary.stepDone(metrics);
    if (!last && (news.signals().wish() || boundary.isPaused())) {
      run.endStep();
      boundary.visit();
    }
    nextIsUnlike |= run.hasTriedOut();
  }

  /** Before anything is saved: such a gradient is in the weights already, though no loss shows it until the next step. */
  private static void requireFinite(long step, String figure, double value) {
    if (!Double.isFinite(value)) {
      throw new DivergedException(
          "the " + figure + " of step " + step + " is " + value
              + "; continue from an earlier checkpoint with --resume and a lower learning rate");
    }
  }

  private Ending finish(LocalRun run, RunSaves saves, EventHub all) {
    boolean interrupted = run.stepsDone() < configuration().training().steps();
    if (!interrupted) {
      boolean cutShort = !evaluate(run, all);
      if (configuration().samples().areOn()) {
        new RunSamples(run).write(interruption::isRequested).forEach(all::on);
      }
      // A last validation that was cut short is still to come: --resume does it. Of several processes all must say the same.
      interrupted = run.ranks().areAll() ? interruption.isRequested() : cutShort;
    }
    keep(run, saves, all, configuration().checkpoint().atEnd());
    interrupted |= saves.awaitCopies(interruption::isRequested);
    if (!interrupted) {
      directory.writeEnd(run.stepsDone());
    }
    all.on(new TrainingEvent.RunFinished(run.stepsDone(), interrupted));
    return new Ending(run.stepsDone(), interrupted, false);
  }

  /** The training state, then the model; which is written even where the state cannot be: to lose both would be worse. */
  private void keep(LocalRun run, RunSaves saves, EventHub all, boolean state) {
    try {
      if (state && run.stepsDone() > 0) {
        saves.beginLast();
      }
      saves.settle();
    } catch (CheckpointException failure) {
      try {
        new StoredModel(run, directory).write(all);
      } catch (StorageException | CommunicationException another) {
        // Where saving has ended the world of several ranks, no model can be put together.
        failure.addSuppressed(another);
      }
      throw failure;
    }
    new StoredModel(run, directory).write(all);
  }

  /** Whether no validation was cut short. */
  private boolean evaluate(LocalRun run, EventHub all) {
    RunValidation validation = run.validation();
    var results = validation.all(interruption::isRequested);
    results.forEach(
        (name, result) ->
            all.on(new TrainingEvent.EvaluationCompleted(run.stepsDone(), name, result.loss(), result.tokens())));
    return results.size() == validation.count();
  }

  /**
   * State, also where it is not kept at an end that was meant, and model; that what is missing was needed for one of them is told
   * with the failure.
   */
  private void keepWhatCanBe(LocalRun run, RunSaves saves, EventHub all, UnavailableException missing) {
    try {
      keep(run, saves, all, true);
      saves.awaitCopies(interruption::isRequested);
    } catch (HirundoException another) {
      LOG.error("and not everything could be kept: {}", another.getMessage());
      missing.addSuppressed(another);
    }
  }
}
