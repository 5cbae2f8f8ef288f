package io.hirundo.testkit.trial;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.IntConsumer;

/** Calls on several threads that begin together. */
public final class AtOnce {
    private static final int TIMEOUT_SECONDS = 60;

    private AtOnce() {}

    /**
     * Runs the work on each of so many threads and waits for all.
     *
     * @param work receives the number of its thread, from 0
     * @throws AssertionError the first failure, if a thread fails or does not end in time
     */
    public static void run(int threads, IntConsumer work) {
        var begin = new CountDownLatch(threads);
        List<FutureTask<Void>> tasks = new ArrayList<>();
        for (int thread = 0; thread < threads; thread++) {
            int number = thread;
            var task = new FutureTask<Void>(() -> {
                begin.countDown();
                begin.await();
                work.accept(number);
                return null;
            });
            tasks.add(task);
            Thread.ofPlatform().daemon().start(task);
        }
        for (int thread = 0; thread < threads; thread++) {
            try {
                tasks.get(thread).get(TIMEOUT_SECONDS, TimeUnit.SECONDS);
            } catch (TimeoutException e) {
                throw new AssertionError("thread " + thread + " did not finish in " + TIMEOUT_SECONDS + " s", e);
            } catch (ExecutionException e) {
                throw e.getCause() instanceof AssertionError failed
                        ? failed
                        : new AssertionError(e.getCause().toString(), e.getCause());
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new AssertionError("interrupted", e);
            }
        }
    }
}
