package io.hirundo.trainer.internal.run;

import io.hirundo.CheckpointException;
import io.hirundo.DivergedException;
import io.hirundo.checkpoint.CheckpointContext;
import io.hirundo.checkpoint.CheckpointInfo;
import io.hirundo.checkpoint.CheckpointSession;
import io.hirundo.checkpoint.TrainingState;
import io.hirundo.command.Interruption;
import io.hirundo.event.TrainingEvent;
import io.hirundo.event.TrainingEvent.StepMetrics;
import io.hirundo.trainer.internal.config.RunConfiguration;
import java.util.Map;

/** A run from its first step to its last, in a run directory: events, validation, checkpoints, and the model at the end. */
public final class TrainingLoop {
  /**
   * How a run ended.
   *
   * @param step steps done
   * @param interrupted whether the user asked it to stop
   */
  public record Ending(long step, boolean interrupted) {}

  private static final String CONSUMED_SAMPLES = "consumedSamples";
  private static final String GLOBAL_BATCH = "globalBatch";

  private final RunConfiguration configuration;
  private final Strategies strategies;
  private final RunDirectory directory;
  private final EventHub events;
  private final Interruption interruption;

  public TrainingLoop(
      RunConfiguration configuration,
      Strategies strategies,
      RunDirectory directory,
      EventHub events,
      Interruption interruption) {
    this.configuration = configuration;
    this.strategies = strategies;
    this.directory = directory;
    this.events = events;
    this.interruption = interruption;
  }

  /**
   * Runs to the end.
   *
   * @param resume from the newest checkpoint
   */
  public Ending run(boolean resume) {
    long step = 0;
    try (OpenRun run = OpenRun.open(configuration, strategies);
        CheckpointSession checkpoints = openCheckpoints(run)) {
      if (resume) {
        restore(run, checkpoints);
      }
      step = run.stepsDone();
      events.on(
          new TrainingEvent.RunStarted(
              configuration.run().name(), directory.path(), run.deviceInfo(), run.model().world().mesh(), run.plan()));
      while (run.stepsDone() < configuration.training().steps() && !interruption.isRequested()) {
        doStep(run, checkpoints);
        step = run.stepsDone();
      }
      return finish(run, checkpoints);
    } catch (RuntimeException | Error failure) {
      events.on(new TrainingEvent.RunFailed(step, failure));
      throw failure;
    }
  }

  private void doStep(OpenRun run, CheckpointSession checkpoints) {
    StepMetrics metrics = run.step();
    long step = run.stepsDone();
    events.on(
        new TrainingEvent.StepCompleted(step, metrics, run.ledger().liveBytes(), run.ledger().peakBytes()));
    if (!Double.isFinite(metrics.loss()) && run.device().computes()) {
      throw new DivergedException(
          "the loss of step " + step + " is " + metrics.loss()
              + "; continue from an earlier checkpoint with --resume and a lower learning rate");
    }
    boolean last = step == configuration.training().steps();
    if (!last && isDue(step, configuration.evaluation().everySteps())) {
      evaluate(run);
    }
    if (!last && isDue(step, configuration.checkpoint().everySteps())) {
      save(run, checkpoints);
    }
  }

  private Ending finish(OpenRun run, CheckpointSession checkpoints) {
    boolean interrupted = run.stepsDone() < configuration.training().steps();
    if (!interrupted) {
      evaluate(run);
    }
    if (configuration.checkpoint().atEnd() && run.stepsDone() > 0) {
      save(run, checkpoints);
    }
    if (configuration.model().export()) {
      exportModel(run);
    }
    events.on(new TrainingEvent.RunFinished(run.stepsDone(), interrupted));
    return new Ending(run.stepsDone(), interrupted);
  }

  private void evaluate(OpenRun run) {
    run.evaluateAll()
        .forEach(
            (name, result) ->
                events.on(
                    new TrainingEvent.EvaluationCompleted(run.stepsDone(), name, result.loss(), result.tokens())));
  }

  private void save(OpenRun run, CheckpointSession checkpoints) {
    long begin = System.nanoTime();
    long consumed = run.stepsDone() * configuration.training().globalBatch();
    var state =
        new TrainingState(
            run.stepsDone(),
            run.stateShards(),
            Map.of(
                CONSUMED_SAMPLES, consumed,
                GLOBAL_BATCH, configuration.training().globalBatch(),
                "seed", configuration.seed()));
    CheckpointInfo saved = checkpoints.save(state).awaitDurable();
    events.on(new TrainingEvent.CheckpointSaved(saved, System.nanoTime() - begin));
    run.resetClock();
  }

  private void restore(OpenRun run, CheckpointSession checkpoints) {
    var found = checkpoints.list();
    if (found.isEmpty()) {
      throw new CheckpointException(
          "--resume: there is no whole checkpoint in " + directory.checkpoints() + "; start the run anew");
    }
    CheckpointInfo newest = found.getFirst();
    Map<String, Object> values = checkpoints.values(newest);
    long consumed = ((Number) values.get(CONSUMED_SAMPLES)).longValue();
    int globalBatch = configuration.training().globalBatch();
    if (consumed != newest.step() * globalBatch) {
      throw new CheckpointException(
          "--resume: " + newest.path() + " was saved after " + consumed + " samples with training.globalBatch "
              + values.get(GLOBAL_BATCH) + "; it cannot go on with " + globalBatch);
    }
    checkpoints.load(newest, run.stateShards());
    run.model().weightsChanged();
    run.seek(newest.step());
  }

  private void exportModel(OpenRun run) {
    var model = strategies.model();
    new ModelWeights(run.model()).export(model.format(), directory.model(), model.choice());
    if (strategies.data().tokenizer() != null) {
      strategies.data().tokenizer().save(directory.model());
    }
  }

  private CheckpointSession openCheckpoints(OpenRun run) {
    RankModel model = run.model();
    return strategies
        .checkpoint()
        .open(new CheckpointContext(directory.checkpoints(), model.world(), model.device(), model.queue()));
  }

  private static boolean isDue(long step, long everySteps) {
    return everySteps > 0 && step % everySteps == 0;
  }
}
