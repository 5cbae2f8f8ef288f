package io.hirundo.control.internal.terminal;

import java.time.Duration;

/** A thread that reads terminal lines until it is closed. */
public final class ReadingThread {
    /** Time for the terminal to redraw its line; a thread blocked longer must not keep the process alive. */
    private static final Duration JOIN_TIMEOUT = Duration.ofSeconds(2);

    /** Reads until it is interrupted. */
    @FunctionalInterface
    public interface Reading {
        void run() throws InterruptedException;
    }

    private final Thread thread;

    private ReadingThread(Thread thread) {
        this.thread = thread;
    }

    public static ReadingThread start(Reading reading) {
        Runnable interruptible = () -> {
            try {
                reading.run();
            } catch (InterruptedException ended) {
                Thread.currentThread().interrupt();
            }
        };
        return new ReadingThread(
                Thread.ofPlatform().daemon().name("hirundo-prompt").start(interruptible));
    }

    /** Interrupts the thread and waits until the terminal is free. Returns at once if called by the thread. */
    public void end() {
        if (Thread.currentThread() == thread) {
            return;
        }
        thread.interrupt();
        try {
            thread.join(JOIN_TIMEOUT);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
