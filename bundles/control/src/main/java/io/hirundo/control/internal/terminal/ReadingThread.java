package io.hirundo.control.internal.terminal;

import java.time.Duration;

/** A thread that reads lines from a terminal until it is told to end. */
public final class ReadingThread {
  /** In which the terminal redraws its line; who does not end by then is blocked, and must not keep the program from ending. */
  private static final Duration PATIENCE = Duration.ofSeconds(2);

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
    Runnable interruptible =
        () -> {
          try {
            reading.run();
          } catch (InterruptedException ended) {
            Thread.currentThread().interrupt();
          }
        };
    return new ReadingThread(Thread.ofPlatform().daemon().name("hirundo-prompt").start(interruptible));
  }

  /** Interrupts it, and waits until the terminal is free. Called by itself, it returns at once. */
  public void end() {
    if (Thread.currentThread() == thread) {
      return;
    }
    thread.interrupt();
    try {
      thread.join(PATIENCE);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
