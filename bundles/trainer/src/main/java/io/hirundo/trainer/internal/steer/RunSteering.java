package io.hirundo.trainer.internal.steer;

import io.hirundo.train.ChangeProgress;
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

/** Queues change requests until the next step boundary, and publishes the run's last status. Thread-safe. */
public final class RunSteering implements RunControl, AutoCloseable {
    /** A request and the future that completes with its decision. */
    public record Waiting(ChangeRequest request, CompletableFuture<Decision> decision) {}

    private final ChangeClock changeClock = new ChangeClock();
    private final Queue<Waiting> requests = new ArrayDeque<>();
    private volatile boolean waiting;
    private volatile RunStatus status;
    private volatile List<StrategyInUse> strategies = List.of();
    /** Null where the status names no remedies. */
    private final Remedies remedies;

    private final Supplier<List<RunSetting>> settings;

    /** {@link System#nanoTime} when a strategy was first missing; the time of the last check while none is. */
    private volatile long missingSinceNanos;

    private boolean ended;

    public RunSteering(String name, Path directory, long steps) {
        this(name, directory, steps, null, List::of);
    }

    /**
     * A queue with remedies and settings.
     *
     * @param remedies what the status says while a strategy is missing
     * @param settings those that can be changed; called on the threads of clients
     */
    public RunSteering(
            String name, Path directory, long steps, Remedies remedies, Supplier<List<RunSetting>> settings) {
        this.remedies = remedies;
        this.settings = settings;
        this.status = new RunStatus(
                name, directory, RunStatus.State.RUNNING, "", new RunStatus.Progress(0, steps, 0, Double.NaN, 0));
    }

    /** The clock that {@link #changeProgress} reads; whoever carries out changes sets it. */
    public ChangeClock changeClock() {
        return changeClock;
    }

    /** Whether a request waits. Called in every step, so it takes no lock. */
    public boolean isWaiting() {
        return waiting;
    }

    /** Removes and returns the oldest request. */
    public synchronized Optional<Waiting> next() {
        Waiting next = requests.poll();
        waiting = !requests.isEmpty();
        return Optional.ofNullable(next);
    }

    /** Publishes the progress of the run. */
    public void publish(RunStatus.State state, String reason, RunStatus.Progress progress) {
        status = new RunStatus(status.name(), status.directory(), state, reason, progress);
    }

    /** Publishes the strategies in use. */
    public void publish(List<StrategyInUse> inUse) {
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
        if (last.state() != RunStatus.State.PAUSED || gone.isEmpty() || remedies == null) {
            return last;
        }
        String reason = last.reason() + "; " + remedies.of(gone, System.nanoTime() - missingSinceNanos);
        return new RunStatus(last.name(), last.directory(), last.state(), reason, last.progress());
    }

    @Override
    public Optional<ChangeProgress> changeProgress() {
        return changeClock.progress();
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

    private synchronized CompletableFuture<Decision> ask(ChangeRequest request) {
        var decision = new CompletableFuture<Decision>();
        if (ended) {
            decision.complete(rejection());
        } else {
            requests.add(new Waiting(request, decision));
            waiting = true;
        }
        return decision;
    }

    private Decision rejection() {
        return new Decision(false, status.progress().step(), "the run has ended");
    }

    /** Rejects waiting and later requests. */
    @Override
    public synchronized void close() {
        ended = true;
        status = new RunStatus(status.name(), status.directory(), RunStatus.State.ENDED, "", status.progress());
        for (var next = next(); next.isPresent(); next = next()) {
            next.get().decision().complete(rejection());
        }
    }
}
