package io.hirundo.trainer.internal.copy;

import io.hirundo.CheckpointException;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Fetches a checkpoint on a background thread, so that the caller can respond to other processes and to the user meanwhile. */
public final class BackgroundFetch implements AutoCloseable {
    private final FutureTask<FetchResult> work;
    private final Thread thread;

    public BackgroundFetch(Callable<FetchResult> fetch) {
        this.work = new FutureTask<>(fetch);
        this.thread = Thread.ofPlatform().daemon().name("hirundo-fetch").start(work);
    }

    /** Waits until the fetch has succeeded or failed, or the time is over. Returns whether it has ended. */
    public boolean hasEnded(Duration atMost) {
        try {
            work.get(atMost.toMillis(), TimeUnit.MILLISECONDS);
            return true;
        } catch (TimeoutException running) {
            return false;
        } catch (ExecutionException failed) {
            return true;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new CheckpointException("interrupted while a checkpoint was fetched", e);
        }
    }

    /** The result of a fetch that has ended. Throws the exception of a failed fetch. */
    public FetchResult result() {
        try {
            return work.get();
        } catch (ExecutionException e) {
            throw e.getCause() instanceof RuntimeException cause ? cause : new IllegalStateException(e.getCause());
        } catch (InterruptedException e) {
            throw new IllegalStateException("unreachable: the fetch has ended", e);
        }
    }

    /** Cancels the fetch, and returns when its thread no longer uses the store. */
    public void cancel() {
        if (BackgroundThread.end(thread)) {
            Thread.currentThread().interrupt();
        }
    }

    /** Describes the state after a cancellation, for messages. The fetch may have completed before it was canceled. */
    public String stateAfterCancel() {
        try {
            return result().copy()
                    .map(copy -> ", but step " + copy.step() + " is complete in " + copy.path()
                            + ", and --resume continues from it")
                    .orElse(", but there was nothing to fetch");
        } catch (RuntimeException failed) {
            return ", and its partial files are deleted; --resume fetches it again";
        }
    }

    @Override
    public void close() {
        cancel();
    }
}
