package io.hirundo.trainer.internal.run;

import io.hirundo.CheckpointException;
import io.hirundo.ConfigurationException;
import io.hirundo.checkpoint.CheckpointContext;
import io.hirundo.checkpoint.CheckpointInfo;
import io.hirundo.checkpoint.CheckpointSession;
import io.hirundo.checkpoint.CheckpointStrategy;
import io.hirundo.checkpoint.TrainingState;
import io.hirundo.trainer.internal.config.RunConfiguration;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;

/** A run's checkpoints: what of the run is saved, and how it is taken up again. A run without a strategy has none. */
final class RunCheckpoints implements AutoCloseable {
  private static final String CONSUMED_SAMPLES = "consumedSamples";
  private static final String GLOBAL_BATCH = "globalBatch";
  private static final String SEED = "seed";

  private final RunConfiguration configuration;
  private final OpenRun run;
  private final Path directory;
  private final Optional<CheckpointSession> session;

  RunCheckpoints(
      RunConfiguration configuration, OpenRun run, Optional<CheckpointStrategy> strategy, Path directory) {
    this.configuration = configuration;
    this.run = run;
    this.directory = directory;
    RankModel model = run.model();
    this.session =
        strategy.map(
            chosen -> chosen.open(new CheckpointContext(directory, model.world(), model.device(), model.queue())));
  }

  /** Saves and waits until it survives a crash; empty where the run keeps no checkpoints. */
  Optional<CheckpointInfo> save() {
    long consumed = run.stepsDone() * configuration.training().globalBatch();
    Map<String, Object> values =
        Map.of(
            CONSUMED_SAMPLES, consumed,
            GLOBAL_BATCH, configuration.training().globalBatch(),
            SEED, configuration.seed());
    return session.map(
        open -> open.save(new TrainingState(run.stepsDone(), run.stateShards(), values)).awaitDurable());
  }

  /** Takes the run up where the newest checkpoint left it. */
  void restore() {
    CheckpointSession open =
        session.orElseThrow(
            () -> new ConfigurationException("checkpoint.strategy: null keeps no checkpoints, so --resume finds none"));
    var found = open.list();
    if (found.isEmpty()) {
      throw new CheckpointException(
          "--resume: there is no whole checkpoint in " + directory + "; start the run anew under another run.name");
    }
    CheckpointInfo newest = found.getFirst();
    requireSameOrder(newest, open.values(newest));
    open.load(newest, run.stateShards());
    run.model().weightsChanged();
    run.seek(newest.step());
  }

  /** The order of samples is a function of these: with others the run would see some samples twice and others never. */
  private void requireSameOrder(CheckpointInfo checkpoint, Map<String, Object> values) {
    long consumed = number(checkpoint, values, CONSUMED_SAMPLES);
    long seed = number(checkpoint, values, SEED);
    int globalBatch = configuration.training().globalBatch();
    if (consumed != checkpoint.step() * globalBatch) {
      throw new ConfigurationException(
          "training.globalBatch: " + globalBatch + " cannot continue " + checkpoint.path() + ", which was made with "
              + number(checkpoint, values, GLOBAL_BATCH));
    }
    if (seed != configuration.seed()) {
      throw new ConfigurationException(
          "seed: " + configuration.seed() + " cannot continue " + checkpoint.path() + ", which was made with " + seed);
    }
  }

  private static long number(CheckpointInfo checkpoint, Map<String, Object> values, String key) {
    if (values.get(key) instanceof Number number) {
      return number.longValue();
    }
    throw new CheckpointException(checkpoint.path() + " holds no number '" + key + "': it is not a checkpoint of a run");
  }

  @Override
  public void close() {
    session.ifPresent(CheckpointSession::close);
  }
}
