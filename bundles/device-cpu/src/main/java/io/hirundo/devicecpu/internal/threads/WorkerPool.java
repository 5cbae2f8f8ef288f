package io.hirundo.devicecpu.internal.threads;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;

/**
 * A device's worker threads. A kernel cuts its work into a number of tasks that follows from shapes alone, never from the
 * number of workers; each task does the same arithmetic whoever runs it, so results are bitwise the same for any number of
 * workers. Idle workers spin briefly, because the next kernel of a step is microseconds away, and then sleep.
 *
 * <p>Several threads may call {@link #run}: one waits for the other. A task must not call it.
 */
public final class WorkerPool implements AutoCloseable {
    /** How long an idle thread spins before it sleeps: longer than the pause between two kernels, shorter than anybody notices. */
    private static final long SPIN_NANOS = 40_000;

    /** Spins between two looks at the clock, and two offers of the core to threads that have work, of another rank for instance. */
    private static final int SPINS = 32;

    /** Fair: a thread that computes without pause would otherwise starve a thread that communicates. */
    private final ReentrantLock callers = new ReentrantLock(true);

    private final Scratch callerScratch;
    private final List<Worker> workers = new ArrayList<>();
    private volatile Job job = new Job(null, 0, null);
    private volatile boolean closed;

    /**
     * Starts the workers.
     *
     * @param size workers, the calling thread included
     * @param scratchAddress where {@code size * scratchBytes} bytes begin, a multiple of 64; the pool does not own them
     * @param scratchBytes scratch memory of each worker, a multiple of 64
     */
    public WorkerPool(int size, long scratchAddress, long scratchBytes) {
        callerScratch = new Scratch(scratchAddress, scratchBytes);
        for (int i = 1; i < size; i++) {
            workers.add(new Worker(i, new Scratch(scratchAddress + i * scratchBytes, scratchBytes)));
        }
        workers.forEach(Thread::start);
    }

    /** Workers, the calling thread included. Our own kernels have no use for it: see above. Tiles of a library follow from it. */
    public int size() {
        return workers.size() + 1;
    }

    /**
     * Runs all tasks and returns when all have ended. What they wrote is visible to the caller. When one fails, those not yet
     * begun are left out and the first failure is thrown, as it is.
     *
     * @param tasks how many, 0 for none
     * @throws IllegalStateException when called from a task, or after {@link #close}
     */
    public void run(int tasks, Task body) {
        if (callers.isHeldByCurrentThread() || Thread.currentThread() instanceof Worker) {
            throw new IllegalStateException("a kernel was called from a task of another kernel");
        }
        callers.lock();
        try {
            if (closed) {
                throw new IllegalStateException("a kernel was called on a closed device");
            }
            if (tasks == 1 || workers.isEmpty()) {
                for (int task = 0; task < tasks; task++) {
                    callerScratch.clear();
                    body.run(task, callerScratch);
                }
            } else if (tasks > 1) {
                runTogether(new Job(body, tasks, Thread.currentThread()));
            }
        } finally {
            callers.unlock();
        }
    }

    private void runTogether(Job shared) {
        job = shared;
        int helpers = Math.min(workers.size(), shared.tasks - 1);
        for (int i = 0; i < helpers; i++) {
            workers.get(i).wake();
        }
        shared.work(callerScratch);
        shared.awaitEnd();
        shared.throwFailure();
    }

    /** Ends the workers. A running call ends first. */
    @Override
    public void close() {
        callers.lock();
        try {
            closed = true;
        } finally {
            callers.unlock();
        }
        workers.forEach(LockSupport::unpark);
        boolean interrupted = false;
        for (Worker worker : workers) {
            while (worker.isAlive()) {
                try {
                    worker.join();
                } catch (InterruptedException e) {
                    interrupted = true;
                }
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /** One call's tasks. A worker that comes late to it finds all tasks claimed and does nothing. */
    private static final class Job {
        private final Task body;
        private final int tasks;
        private final Thread caller;
        private final AtomicInteger claimed = new AtomicInteger();
        private final AtomicInteger ended = new AtomicInteger();
        private volatile Throwable failure;
        private volatile boolean callerSleeps;

        Job(Task body, int tasks, Thread caller) {
            this.body = body;
            this.tasks = tasks;
            this.caller = caller;
        }

        boolean hasUnclaimed() {
            return claimed.get() < tasks;
        }

        void work(Scratch scratch) {
            while (hasUnclaimed()) {
                int task = claimed.getAndIncrement();
                if (task >= tasks) {
                    return;
                }
                if (failure == null) {
                    runOne(task, scratch);
                }
                if (ended.incrementAndGet() == tasks && callerSleeps) {
                    LockSupport.unpark(caller);
                }
            }
        }

        private void runOne(int task, Scratch scratch) {
            scratch.clear();
            try {
                body.run(task, scratch);
            } catch (RuntimeException | Error e) {
                synchronized (this) {
                    if (failure == null) {
                        failure = e;
                    }
                }
            }
        }

        /** Waits for tasks that other workers still run. An interrupt is kept for later: a kernel cannot be left half-done. */
        void awaitEnd() {
            long start = System.nanoTime();
            while (ended.get() < tasks) {
                for (int i = 0; i < SPINS && ended.get() < tasks; i++) {
                    Thread.onSpinWait();
                }
                if (System.nanoTime() - start > SPIN_NANOS) {
                    sleepUntilEnd();
                }
                Thread.yield();
            }
        }

        private void sleepUntilEnd() {
            callerSleeps = true;
            boolean interrupted = false;
            while (ended.get() < tasks) {
                LockSupport.park(this);
                interrupted |= Thread.interrupted();
            }
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }

        void throwFailure() {
            switch (failure) {
                case null -> {}
                case Error e -> throw e;
                case RuntimeException e -> throw e;
                default -> throw new AssertionError(failure);
            }
        }
    }

    /** A thread that helps callers. */
    private final class Worker extends Thread {
        private final Scratch scratch;
        private volatile boolean sleeps;

        Worker(int number, Scratch scratch) {
            super("hirundo-cpu-worker-" + number);
            setDaemon(true);
            this.scratch = scratch;
        }

        void wake() {
            if (sleeps) {
                LockSupport.unpark(this);
            }
        }

        @Override
        public void run() {
            while (!closed) {
                Job now = job;
                if (now.hasUnclaimed()) {
                    now.work(scratch);
                } else {
                    awaitWork();
                }
            }
        }

        private void awaitWork() {
            long start = System.nanoTime();
            while (System.nanoTime() - start < SPIN_NANOS) {
                for (int i = 0; i < SPINS; i++) {
                    if (job.hasUnclaimed() || closed) {
                        return;
                    }
                    Thread.onSpinWait();
                }
                Thread.yield();
            }
            sleeps = true;
            while (!job.hasUnclaimed() && !closed) {
                LockSupport.park(this);
            }
            sleeps = false;
        }
    }
}
