package io.hirundo.trainer.internal.checkpoint;

import io.hirundo.CheckpointException;
import io.hirundo.ConfigurationException;
import io.hirundo.checkpoint.CheckpointInfo;
import io.hirundo.checkpoint.CheckpointStore;
import io.hirundo.checkpoint.FoundCheckpoint;
import io.hirundo.checkpoint.StoreSession;
import io.hirundo.checkpoint.StoredCheckpoint;
import io.hirundo.event.TrainingEvent;
import io.hirundo.event.TrainingListener;
import io.hirundo.trainer.internal.config.OnDamage;
import io.hirundo.trainer.internal.config.RunConfiguration;
import io.hirundo.trainer.internal.copy.BackgroundFetch;
import io.hirundo.trainer.internal.copy.CopyFetch;
import io.hirundo.trainer.internal.copy.CopyWorker;
import io.hirundo.trainer.internal.copy.FetchResult;
import io.hirundo.trainer.internal.session.LocalRun;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Copies of a run's checkpoints in its store. The process that leads has them; in the others, and without a store, nothing
 * happens here.
 */
public final class RemoteCopies implements AutoCloseable {
  private static final Duration LOOK = Duration.ofSeconds(1);
  private static final Duration NEWS = Duration.ofSeconds(10);

  /** What processes tell each other while they wait. */
  private static final String ENDED = "ended";

  private static final String STOP = "stop";
  private static final Logger LOG = LoggerFactory.getLogger(RemoteCopies.class);

  private final LocalRun run;
  private final Path checkpoints;
  private Optional<StoreSession> prepared = Optional.empty();
  private Optional<StoreSession> session = Optional.empty();
  private Optional<CopyWorker> worker = Optional.empty();
  private Optional<CheckpointInfo> missing = Optional.empty();
  /** Of workers that are closed. */
  private final List<TrainingEvent> untold = new ArrayList<>();

  /** {@code checkpoints}: their folder, in that of the run. */
  RemoteCopies(LocalRun run, Path checkpoints) {
    this.run = run;
    this.checkpoints = checkpoints;
  }

  private boolean leads() {
    return run.ranks().numbers().contains(0);
  }

  /**
   * Opens a store beside that in use, and asks it something: it can be reached.
   *
   * @return its copies of this run
   */
  public List<StoredCheckpoint> prepare(Optional<CheckpointStore> store, String name) {
    discard();
    prepared = store.filter(given -> leads()).map(given -> given.open(name));
    return prepared.map(StoreSession::list).orElse(List.of());
  }

  /** Uses what was prepared from now on; what could not be copied before is tried again there. */
  public void take(RunConfiguration configuration) {
    closeInUse();
    session = prepared;
    prepared = Optional.empty();
    worker =
        session.map(
            open ->
                new CopyWorker(
                    open, configuration.checkpoint().keepCopies(), checkpoints.resolveSibling("copying"), CopyWorker.PAUSES));
    Optional<CheckpointInfo> before = missing;
    missing = Optional.empty();
    before.ifPresent(this::offer);
  }

  /** Closes what was prepared and is not to be used. */
  public void discard() {
    prepared.ifPresent(StoreSession::close);
    prepared = Optional.empty();
  }

  /** Opens the store of a new run; there is nothing to tell. Copies of another one under its name would be taken for this one's. */
  public List<TrainingEvent> begin() {
    List<StoredCheckpoint> copies = prepareOwn();
    if (!copies.isEmpty()) {
      String place = prepared.orElseThrow().place();
      discard();
      throw new ConfigurationException(
          "run.name: " + place + " holds copies of a run of this name, the newest of step " + copies.getFirst().step()
              + "; continue it with --resume, or give another run.name");
    }
    take(run.configuration());
    return List.of();
  }

  /**
   * Opens the store of a run that is resumed, and fetches its newest copy where nothing here is as new. All processes must call this.
   *
   * @param stop whether the user wishes that this ends
   * @throws CancellationException where it did
   */
  FetchResult resume(List<FoundCheckpoint> local, BooleanSupplier stop) {
    if (!isConfigured()) {
      return FetchResult.NOTHING;
    }
    prepareOwn();
    boolean passesOver = run.configuration().checkpoint().onDamage() == OnDamage.PREVIOUS;
    try (var fetch = new BackgroundFetch(() -> fetch(local, passesOver))) {
      if (!waitTogether(() -> fetch.hasEnded(LOOK), stop)) {
        fetch.cutShort();
        prepared.ifPresent(store -> LOG.warn("--resume: fetching from {} was cut short{}", store.place(), fetch.whatStays()));
        throw new CancellationException("fetching was cut short");
      }
      FetchResult fetched = fetch.result();
      take(run.configuration());
      return fetched;
    }
  }

  private FetchResult fetch(List<FoundCheckpoint> local, boolean passesOver) {
    return prepared
        .map(open -> new CopyFetch(open, checkpoints.getParent(), checkpoints).fetch(local, passesOver))
        .orElse(FetchResult.NOTHING);
  }

  private List<StoredCheckpoint> prepareOwn() {
    return prepare(run.strategies().outcome().store(), run.configuration().run().name());
  }

  /** Copies the checkpoint that a run goes on from, where the store has it not. */
  void offerIfMissing(CheckpointInfo checkpoint) {
    String name = checkpoint.path().getFileName().toString();
    boolean isThere = session.stream().flatMap(open -> open.list().stream()).anyMatch(copy -> copy.name().equals(name));
    if (!isThere) {
      offer(checkpoint);
    }
  }

  /** A checkpoint is whole, and is copied when there is time. Of one in memory there is nothing in its folder to copy. */
  void offer(CheckpointInfo checkpoint) {
    if (checkpoint.isInMemory()) {
      return;
    }
    if (worker.isPresent()) {
      worker.get().offer(checkpoint);
    } else if (isConfigured() && leads()) {
      // The store has gone; whoever takes its place gets it.
      missing = Optional.of(checkpoint);
    }
  }

  /** Tells what has happened since the last call, and of what was cut off. */
  public void tell(TrainingListener events) {
    untold.forEach(events::on);
    untold.clear();
    worker.ifPresent(copies -> copies.news().forEach(events::on));
  }

  /**
   * Waits until the newest checkpoint is copied, or the user wishes that this ends: the copy is cut off then, and taken up by the next
   * resume. What was wished before, as the end of the training is, is no such wish: a node that is preempted may not come back, and
   * has only its copies. All processes must call this.
   *
   * @param stop whether the user wishes that the run ends
   * @return whether it was cut off
   * @throws CheckpointException where it could not be copied
   */
  boolean finish(TrainingListener events, BooleanSupplier stop) {
    if (!isConfigured()) {
      // A store that was given up in the last steps.
      tell(events);
      return false;
    }
    boolean wasWished = stop.getAsBoolean();
    long[] told = {System.nanoTime()};
    boolean ended = waitTogether(
        () -> {
          boolean idle = worker.map(copies -> copies.awaitIdle(LOOK)).orElse(true);
          tell(events);
          if (!idle && System.nanoTime() - told[0] > NEWS.toNanos()) {
            told[0] = System.nanoTime();
            worker.flatMap(CopyWorker::progress).ifPresent(events::on);
          }
          return idle;
        },
        () -> !wasWished && stop.getAsBoolean());
    if (!ended) {
      close();
      tell(events);
      return true;
    }
    String problem =
        (worker.isPresent() ? worker.get().missing() : missing)
            .map(checkpoint -> checkpoint.path() + " is saved, but not copied to " + session.map(StoreSession::place).orElse("its store"))
            .orElse("");
    problem = run.ranks().areAll() ? problem : run.exchange(problem).getFirst();
    if (!problem.isEmpty()) {
      throw new CheckpointException(problem + "; continue with --resume when the store can be reached: that copies it");
    }
    return false;
  }

  private boolean isConfigured() {
    return run.configuration().checkpoint().store() != null;
  }

  /**
   * Ranks in other processes wait as they do for a step, and not for one that has gone silent.
   *
   * @param stop whether the user of any process wishes that it ends before
   * @return whether it has ended by itself
   */
  private boolean waitTogether(BooleanSupplier ended, BooleanSupplier stop) {
    while (true) {
      String own = leads() && ended.getAsBoolean() ? ENDED : stop.getAsBoolean() ? STOP : "";
      List<String> said = run.ranks().areAll() ? List.of(own) : run.exchange(own);
      if (said.getFirst().equals(ENDED)) {
        return true;
      }
      if (said.contains(STOP)) {
        return false;
      }
    }
  }

  /**
   * Cuts off what is being copied, which is taken up when a store is open again, and is still to be told; what was prepared is closed
   * too.
   */
  @Override
  public void close() {
    discard();
    closeInUse();
  }

  private void closeInUse() {
    worker.ifPresent(
        copies -> {
          copies.close();
          missing = copies.missing();
          untold.addAll(copies.news());
        });
    worker = Optional.empty();
    session = Optional.empty();
  }
}
