package io.hirundo.trainer.internal.steer;

import io.hirundo.train.Decision;
import io.hirundo.train.RunControl;
import io.hirundo.train.RunSetting;
import io.hirundo.train.RunStatus;
import io.hirundo.train.StrategyInUse;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/** Keeps what is wanted of a run until its next step boundary, and shows what the run last told of itself. Thread-safe. */
public final class RunSteering implements RunControl, AutoCloseable {
  /** A wish and who waits for its decision. */
  public record Waiting(ChangeRequest wish, CompletableFuture<Decision> decision) {}

  private final Queue<Waiting> wishes = new ArrayDeque<>();
  private volatile boolean waiting;
  private volatile RunStatus status;
  private volatile List<StrategyInUse> strategies = List.of();
  /** Null where nobody is told how the run can go on. */
  private final Remedies waysOut;
  private final Supplier<List<RunSetting>> settings;

  /** When something was missing first; while nothing is, when that was last known. */
  private volatile long missingSinceNanos;
  private boolean ended;

  public RunSteering(String name, Path directory, long steps) {
    this(name, directory, steps, null, List::of);
  }

  /**
   * With what it says of the run.
   *
   * @param waysOut what its status says while something is missing
   * @param settings those that can be changed; asked on threads of their own
   */
  public RunSteering(String name, Path directory, long steps, Remedies waysOut, Supplier<List<RunSetting>> settings) {
    this.waysOut = waysOut;
    this.settings = settings;
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
    if (gone(strategies).isEmpty()) {
      missingSinceNanos = System.nanoTime();
    }
    strategies = List.copyOf(inUse);
  }

  private static List<StrategyInUse> gone(List<StrategyInUse> inUse) {
    return inUse.stream().filter(strategy -> strategy.bundle().isEmpty()).toList();
  }

  @Override
  public RunStatus status() {
    RunStatus last = status;
    List<StrategyInUse> gone = gone(strategies);
    if (last.state() != RunStatus.State.PAUSED || gone.isEmpty() || waysOut == null) {
      return last;
    }
    String reason = last.reason() + "; " + waysOut.of(gone, System.nanoTime() - missingSinceNanos);
    return new RunStatus(last.name(), last.directory(), last.state(), reason, last.progress());
  }

  @Override
  public List<StrategyInUse> strategies() {
    return strategies;
  }

  @Override
  public List<RunSetting> settings() {
    return settings.get();
  }

  @Override
  public CompletableFuture<Decision> change(List<String> assignments) {
    return ask(new ChangeRequest.Change(assignments));
  }

  @Override
  public CompletableFuture<Decision> saveCheckpoint() {
    return ask(ChangeRequest.Order.SAVE);
  }

  @Override
  public CompletableFuture<Decision> pause() {
    return ask(ChangeRequest.Order.PAUSE);
  }

  @Override
  public CompletableFuture<Decision> resume() {
    return ask(ChangeRequest.Order.RESUME);
  }

  @Override
  public CompletableFuture<Decision> stop() {
    return ask(ChangeRequest.Order.STOP);
  }

  private synchronized CompletableFuture<Decision> ask(ChangeRequest wish) {
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
