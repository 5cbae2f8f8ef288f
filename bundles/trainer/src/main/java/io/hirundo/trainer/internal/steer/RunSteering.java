package io.hirundo.trainer.internal.steer;

import io.hirundo.train.Decision;
import io.hirundo.train.RunControl;
import io.hirundo.train.RunStatus;
import io.hirundo.train.StrategyInUse;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;

/** Keeps what is wanted of a run until its next step boundary, and shows what the run last told of itself. Thread-safe. */
public final class RunSteering implements RunControl, AutoCloseable {
  /** A wish and who waits for its decision. */
  public record Waiting(Wish wish, CompletableFuture<Decision> decision) {}

  private final Queue<Waiting> wishes = new ArrayDeque<>();
  private volatile boolean waiting;
  private volatile RunStatus status;
  private volatile List<StrategyInUse> strategies = List.of();
  private boolean ended;

  public RunSteering(String name, Path directory, long steps) {
    this.status =
        new RunStatus(
            name, directory, RunStatus.State.RUNNING, "", new RunStatus.Progress(0, steps, 0, Double.NaN, 0));
  }

  /** Whether there is a wish; as quick as can be, since it is asked in every step. */
  public boolean isWaiting() {
    return waiting;
  }

  /** The oldest wish, which is no longer kept. */
  public synchronized Optional<Waiting> next() {
    Waiting next = wishes.poll();
    waiting = !wishes.isEmpty();
    return Optional.ofNullable(next);
  }

  /** Shows how far the run has come. */
  public void tell(RunStatus.State state, String reason, RunStatus.Progress progress) {
    status = new RunStatus(status.name(), status.directory(), state, reason, progress);
  }

  /** Shows what the run works with. */
  public void tell(List<StrategyInUse> inUse) {
    strategies = List.copyOf(inUse);
  }

  @Override
  public RunStatus status() {
    return status;
  }

  @Override
  public List<StrategyInUse> strategies() {
    return strategies;
  }

  @Override
  public CompletableFuture<Decision> change(List<String> assignments) {
    return ask(new Wish.Change(assignments));
  }

  @Override
  public CompletableFuture<Decision> saveCheckpoint() {
    return ask(Wish.Order.SAVE);
  }

  @Override
  public CompletableFuture<Decision> pause() {
    return ask(Wish.Order.PAUSE);
  }

  @Override
  public CompletableFuture<Decision> resume() {
    return ask(Wish.Order.RESUME);
  }

  @Override
  public CompletableFuture<Decision> stop() {
    return ask(Wish.Order.STOP);
  }

  private synchronized CompletableFuture<Decision> ask(Wish wish) {
    var decision = new CompletableFuture<Decision>();
    if (ended) {
      decision.complete(refusal());
    } else {
      wishes.add(new Waiting(wish, decision));
      waiting = true;
    }
    return decision;
  }

  private Decision refusal() {
    return new Decision(false, status.progress().step(), "the run has ended");
  }

  /** Refuses what is still wanted, and all that will be. */
  @Override
  public synchronized void close() {
    ended = true;
    status = new RunStatus(status.name(), status.directory(), RunStatus.State.ENDED, "", status.progress());
    for (var next = next(); next.isPresent(); next = next()) {
      next.get().decision().complete(refusal());
    }
  }
}
