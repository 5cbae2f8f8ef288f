package io.hirundo.stores3.internal;

import io.hirundo.StoreException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicReference;

/** Runs tasks on several threads; all end at the first failure, or when the caller is interrupted. */
final class Parallel {
    private final int threads;

    Parallel(int threads) {
        this.threads = threads;
    }

    /** The results, in order. */
    <T> List<T> all(List<Callable<T>> work) {
        var results = new ArrayList<T>();
        var first = new AtomicReference<Throwable>();
        try (var executor = Executors.newFixedThreadPool(
                threads, Thread.ofPlatform().daemon().name("hirundo-s3-", 0).factory())) {
            try {
                List<Future<T>> running = work.stream()
                        .map(each -> executor.submit(unlessFailed(each, first)))
                        .toList();
                for (Future<T> each : running) {
                    results.add(each.get());
                }
                if (Thread.interrupted()) {
                    throw new InterruptedException();
                }
            } catch (InterruptedException e) {
                executor.shutdownNow();
                Thread.currentThread().interrupt();
                throw new StoreException("interrupted", e);
            } catch (ExecutionException e) {
                executor.shutdownNow();
                throw first.get() instanceof RuntimeException failure
                        ? failure
                        : new StoreException("copying failed: " + first.get(), e);
            }
        }
        return results;
    }

    /** Stops a thread from starting another task before the caller sees its failure. */
    private static <T> Callable<T> unlessFailed(Callable<T> work, AtomicReference<Throwable> first) {
        return () -> {
            if (first.get() != null) {
                throw new CancellationException("another failed");
            }
            try {
                return work.call();
            } catch (Exception | Error failure) {
                first.compareAndSet(null, failure);
                throw failure;
            }
        };
    }
}
