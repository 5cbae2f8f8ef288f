package io.hirundo.lib.engine.rank;

import io.hirundo.CommunicationException;
import io.hirundo.ConfigurationException;
import io.hirundo.Reason;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BiConsumer;
import java.util.function.IntFunction;

/**
 * The ranks of this process, each on its own thread; a single rank runs on the caller's. A failure must abort the others,
 * which would otherwise wait forever.
 */
public final class RankTeam implements AutoCloseable {
    /** Each rank is a thread with a stack, a ledger and a model of its own. */
    private static final int MOST_RANKS = 4_096;

    private final int size;
    private final List<ExecutorService> threads = new ArrayList<>();

    /** {@code numbers} of the ranks, for thread names. */
    public RankTeam(List<Integer> numbers) {
        this.size = numbers.size();
        if (size > MOST_RANKS) {
            throw new ConfigurationException(String.format(
                    Locale.ROOT,
                    "mesh: %,d ranks in one process; allowed: up to %,d. Train with mesh.fabric=mpi, one process per device",
                    size,
                    MOST_RANKS));
        }
        if (size > 1) {
            for (int number : numbers) {
                threads.add(Executors.newSingleThreadExecutor(Thread.ofPlatform()
                        .daemon()
                        .name("hirundo-rank-" + number)
                        .factory()));
            }
        }
    }

    int size() {
        return size;
    }

    /** Runs the work on every rank's thread, and returns when all have ended; failures are not passed on. */
    public <T> List<T> each(IntFunction<T> work) {
        return each(work, (index, failure) -> {});
    }

    /**
     * Runs the work on every rank's thread, and returns when all have ended.
     *
     * @param work for the rank of an index among those of this process
     * @param onFailure called for each failure, on the thread of the rank that failed
     * @return what each returned, in order
     * @throws RuntimeException the first failure that another rank's failure did not cause
     */
    public <T> List<T> each(IntFunction<T> work, BiConsumer<Integer, Throwable> onFailure) {
        if (size == 1) {
            return Collections.singletonList(told(0, work, onFailure));
        }
        var cause = new AtomicReference<Throwable>();
        var running = new ArrayList<Future<T>>();
        for (int index = 0; index < size; index++) {
            int rank = index;
            Callable<T> task = () -> told(rank, work, (failed, failure) -> {
                // A failure that another rank's abort caused is not the root cause.
                cause.compareAndSet(null, failure);
                onFailure.accept(failed, failure);
            });
            running.add(threads.get(index).submit(task));
        }
        var results = new ArrayList<T>();
        for (Future<T> result : running) {
            results.add(outcome(result));
        }
        if (cause.get() != null) {
            throw unchecked(cause.get());
        }
        return results;
    }

    private static <T> T told(int rank, IntFunction<T> work, BiConsumer<Integer, Throwable> onFailure) {
        try {
            return work.apply(rank);
        } catch (RuntimeException | Error failure) {
            onFailure.accept(rank, failure);
            throw failure;
        }
    }

    /** Null for a failure, which is recorded already. An interrupt is restored later: no rank thread is left running. */
    private static <T> T outcome(Future<T> result) {
        boolean interrupted = false;
        try {
            while (true) {
                try {
                    return result.get();
                } catch (ExecutionException known) {
                    return null;
                } catch (InterruptedException later) {
                    interrupted = true;
                }
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private static RuntimeException unchecked(Throwable failure) {
        switch (failure) {
            case Error error -> throw error;
            case RuntimeException runtime -> {
                return runtime;
            }
            default -> throw new CommunicationException("a rank failed: " + Reason.of(failure), failure);
        }
    }

    @Override
    public void close() {
        threads.forEach(ExecutorService::close);
    }
}
