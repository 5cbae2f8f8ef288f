package io.hirundo.trainer.internal.run;

import io.hirundo.CheckpointException;
import io.hirundo.ConfigurationException;
import io.hirundo.checkpoint.CheckpointContext;
import io.hirundo.checkpoint.CheckpointInfo;
import io.hirundo.checkpoint.CheckpointSession;
import io.hirundo.checkpoint.CheckpointStrategy;
import io.hirundo.checkpoint.PendingSave;
import io.hirundo.checkpoint.TrainingState;
import io.hirundo.data.DataCursor;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.BiFunction;

/** A run's checkpoints: what of the run is saved, and how it is taken up again. A run without a strategy has none. */
final class RunCheckpoints implements AutoCloseable {
  private static final String CONSUMED_SAMPLES = "consumedSamples";
  private static final String GLOBAL_BATCH = "globalBatch";
  private static final String SEED = "seed";
  private static final String DATA_BEGIN = "dataBegin";

  private final OpenRun run;
  private final Path directory;
  private final Map<RankRun, CheckpointSession> sessions = new ConcurrentHashMap<>();
  /** In the order in which they began; ranks look at them too. */
  private final List<RunSave> saves = new CopyOnWriteArrayList<>();

  RunCheckpoints(OpenRun run, Path directory) {
    this.run = run;
    this.directory = directory;
    open(run.strategies().outcome().checkpoint());
  }

  /** Opens those of a strategy. */
  void open(Optional<CheckpointStrategy> strategy) {
    strategy.ifPresent(
        chosen ->
            run.attemptOnEachRank(
                part -> {
                  Rank rank = part.model().rank();
                  var context = new CheckpointContext(directory, rank.world(), rank.device(), rank.queue());
                  return sessions.put(part, chosen.open(context));
                }));
  }

  /** Begins a save, which is among {@link #saves} from then on; empty where the run keeps no checkpoints. */
  Optional<RunSave> save() {
    if (sessions.isEmpty()) {
      if (run.configuration().checkpoint().strategy() != null) {
        throw new CheckpointException(
            "checkpoint.strategy: " + run.configuration().checkpoint().strategy().name()
                + " has gone, so that step " + run.stepsDone()
                + " cannot be saved; bring its bundle back and go on from an earlier checkpoint");
      }
      return Optional.empty();
    }
    long begin = System.nanoTime();
    long step = run.stepsDone();
    Map<String, Object> values =
        Map.of(
            CONSUMED_SAMPLES, step * run.configuration().training().globalBatch(),
            GLOBAL_BATCH, run.configuration().training().globalBatch(),
            SEED, run.configuration().seed(),
            DATA_BEGIN, DataPlace.values(run.dataBegin()));
    List<PendingSave> parts =
        run.onEachRank(part -> sessions.get(part).save(new TrainingState(step, part.stateShards(), values)));
    var save = new RunSave(begin, parts);
    saves.add(save);
    return Optional.of(save);
  }

  /** Those whose outcome nobody has asked for. */
  List<RunSave> saves() {
    return List.copyOf(saves);
  }

  /** Its outcome is known. */
  void forget(RunSave save) {
    saves.remove(save);
  }

  /** Whether one of {@link #saves} is known to have failed. */
  boolean haveFailed() {
    return saves.stream().anyMatch(RunSave::hasFailed);
  }

  /** Takes the run up where the newest checkpoint left it. */
  void restore() {
    if (sessions.isEmpty()) {
      throw new ConfigurationException("checkpoint.strategy: null keeps no checkpoints, so --resume finds none");
    }
    record Place(long step, DataCursor dataBegin) {}
    Place place =
        onEachRank(
            (part, session) -> {
              CheckpointInfo newest = newest(session);
              Map<String, Object> values = session.values(newest);
              requireSameOrder(newest, values);
              session.load(newest, part.stateShards());
              part.model().weightsChanged();
              return new Place(newest.step(), DataPlace.cursor(newest, values.get(DATA_BEGIN)));
            });
    run.seek(place.step(), place.dataBegin());
  }

  private CheckpointInfo newest(CheckpointSession session) {
    return session.list().stream()
        .findFirst()
        .orElseThrow(
            () ->
                new CheckpointException(
                    "--resume: there is no whole checkpoint in " + directory
                        + "; start the run anew under another run.name"));
  }

  /** The order of samples is a function of these: with others the run would see some samples twice and others never. */
  private void requireSameOrder(CheckpointInfo checkpoint, Map<String, Object> values) {
    long consumed = number(checkpoint, values, CONSUMED_SAMPLES);
    long seed = number(checkpoint, values, SEED);
    int globalBatch = run.configuration().training().globalBatch();
    if (consumed != checkpoint.step() * globalBatch) {
      throw new ConfigurationException(
          "training.globalBatch: " + globalBatch + " cannot continue " + checkpoint.path() + ", which was made with "
              + number(checkpoint, values, GLOBAL_BATCH));
    }
    if (seed != run.configuration().seed()) {
      throw new ConfigurationException(
          "seed: " + run.configuration().seed() + " cannot continue " + checkpoint.path() + ", which was made with " + seed);
    }
  }

  private static long number(CheckpointInfo checkpoint, Map<String, Object> values, String key) {
    if (values.get(key) instanceof Number number) {
      return number.longValue();
    }
    throw new CheckpointException(checkpoint.path() + " holds no number '" + key + "': it is not a checkpoint of a run");
  }

  /** What the first rank of this process returned: all return the same. */
  private <T> T onEachRank(BiFunction<RankRun, CheckpointSession, T> work) {
    return run.onEachRank(part -> work.apply(part, sessions.get(part))).getFirst();
  }

  /** Waits for saves under way, whose outcomes are kept. {@link #open} may follow. */
  @Override
  public void close() {
    run.onEachRank(
        part -> {
          CheckpointSession session = sessions.remove(part);
          if (session != null) {
            session.close();
          }
          return null;
        });
    saves.forEach(RunSave::end);
  }
}
