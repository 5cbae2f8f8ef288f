package io.hirundo.lib.engine.data;

import io.hirundo.data.SampleSet.Split;
import io.hirundo.lib.engine.rank.SampleShard;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** Reads the next step's batch while the current one is computed. The order depends on consumed samples alone. */
public final class BatchPrefetcher implements AutoCloseable {
    private final BatchReader reader;
    private final SampleShard share;
    private final int globalBatch;
    private final long endSample;
    private final ExecutorService thread = Executors.newSingleThreadExecutor(
            Thread.ofPlatform().daemon().name("hirundo-prefetch").factory());
    private long nextSample;
    private CompletableFuture<HostBatch> pending;

    /** Reads a rank's share of the samples from {@code firstSample} to {@code endSample}. */
    public BatchPrefetcher(BatchReader reader, SampleShard share, int globalBatch, long firstSample, long endSample) {
        this.reader = reader;
        this.share = share;
        this.globalBatch = globalBatch;
        this.nextSample = firstSample;
        this.endSample = endSample;
        this.pending = request();
    }

    public HostBatch next() {
        HostBatch batch = peek();
        nextSample += globalBatch;
        pending = request();
        return batch;
    }

    /** What {@link #next} will return, without consuming it. */
    public HostBatch peek() {
        try {
            return pending.join();
        } catch (CompletionException failure) {
            if (failure.getCause() instanceof RuntimeException cause) {
                throw cause;
            }
            throw failure;
        }
    }

    private CompletableFuture<HostBatch> request() {
        if (nextSample + globalBatch > endSample) {
            return CompletableFuture.failedFuture(new IllegalStateException("no samples after " + endSample));
        }
        long first = nextSample;
        return CompletableFuture.supplyAsync(() -> reader.read(Split.TRAINING, share.of(first, globalBatch)), thread);
    }

    @Override
    public void close() {
        // The reading thread may still touch mapped files, so it must end before they are closed.
        thread.close();
    }
}
