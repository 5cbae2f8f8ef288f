package io.hirundo.lib.engine.audit;

import io.hirundo.Reason;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Compares copied tiles and chunks on a background thread of the process. The thread starts with the first task. The queue is bounded, so
 * ranks that produce tasks faster are slowed down to the pace of the thread. Thread-safe.
 */
public final class AuditWorker implements AutoCloseable {
    private static final int QUEUE_CAPACITY = 16;

    private final BlockingQueue<Runnable> tasks = new ArrayBlockingQueue<>(QUEUE_CAPACITY);
    private final ConcurrentLinkedQueue<Finding> findings = new ConcurrentLinkedQueue<>();
    private final AtomicLong tiles = new AtomicLong();
    private final AtomicLong chunks = new AtomicLong();
    private final Object ended = new Object();
    private long begun;
    private long done;
    private Throwable failure;
    private Thread thread;

    /** Queues a task. Tasks run in the order of submission. */
    void submit(Runnable work) {
        synchronized (ended) {
            begun++;
            if (thread == null) {
                thread = Thread.ofPlatform().daemon().name("hirundo-audit").start(this::run);
            }
        }
        try {
            tasks.put(work);
        } catch (InterruptedException interrupted) {
            synchronized (ended) {
                begun--;
            }
            Thread.currentThread().interrupt();
        }
    }

    private void run() {
        try {
            while (true) {
                Runnable work = tasks.take();
                try {
                    work.run();
                } catch (RuntimeException | Error thrown) {
                    synchronized (ended) {
                        failure = failure == null ? thrown : failure;
                    }
                }
                synchronized (ended) {
                    done++;
                    ended.notifyAll();
                }
            }
        } catch (InterruptedException closed) {
            Thread.currentThread().interrupt();
        }
    }

    void comparedTile() {
        tiles.incrementAndGet();
    }

    void comparedChunk() {
        chunks.incrementAndGet();
    }

    /** Number of GEMM tiles compared so far. */
    public long comparedTiles() {
        return tiles.get();
    }

    /** Number of chunks of collectives compared so far. */
    public long comparedChunks() {
        return chunks.get();
    }

    void found(Finding finding) {
        findings.add(finding);
    }

    /** Whether there are findings, or the audit itself has failed. */
    public boolean needsAttention() {
        synchronized (ended) {
            return !findings.isEmpty() || failure != null;
        }
    }

    /**
     * Waits for all submitted tasks.
     *
     * @throws IllegalStateException if the audit itself has failed, which is a defect
     */
    public void await() {
        synchronized (ended) {
            try {
                while (done < begun) {
                    ended.wait();
                }
            } catch (InterruptedException interrupted) {
                Thread.currentThread().interrupt();
            }
            if (failure != null) {
                throw new IllegalStateException(
                        "the audit failed: " + Reason.of(failure)
                                + "; continue without it: --resume --set audit.rate=0",
                        failure);
            }
        }
    }

    /** Removes and returns the findings of a rank. */
    List<Finding> take(int rank) {
        List<Finding> taken =
                findings.stream().filter(each -> each.found().rank() == rank).toList();
        findings.removeAll(taken);
        return taken;
    }

    @Override
    public String toString() {
        return comparedTiles() + " tiles and " + comparedChunks() + " chunks compared, findings: "
                + findings.stream().map(each -> each.found().toString()).toList();
    }

    @Override
    public void close() {
        synchronized (ended) {
            if (thread != null) {
                thread.interrupt();
            }
        }
    }
}
