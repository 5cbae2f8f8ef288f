package io.hirundo.launcher;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import sun.misc.Signal;

/**
 * Ctrl-C and SIGTERM. The first asks the running command to end, and leaves it the time that it needs: to save a large model
 * can take minutes. The second ends the process at once.
 *
 * <p>Not a shutdown hook: once the JVM shuts down, its other hooks close log files and delete temporary files at the same
 * time, while the command still saves its model.
 */
final class Interrupts {
  /** After this time without an end the user is told again that there is another way. */
  private static final int REMINDER_SECONDS = 60;

  /** Exit code of a process that Ctrl-C or SIGTERM ended; {@code io.hirundo.ExitCode.INTERRUPTED} inside the framework. */
  static final int EXIT_CODE = 130;

  private final Runnable request;
  private final AtomicInteger received = new AtomicInteger();

  private Interrupts(Runnable request) {
    this.request = request;
  }

  /** From now on signals go to the request, which returns soon; it runs on a thread of its own, once at most. */
  static Interrupts listen(Runnable request) {
    Interrupts interrupts = new Interrupts(request);
    for (String signal : new String[] {"INT", "TERM"}) {
      try {
        Signal.handle(new Signal(signal), ignored -> interrupts.received());
      } catch (IllegalArgumentException e) {
        // The JVM was told to leave this signal to others (-Xrs): then it ends the process as it always does.
      }
    }
    return interrupts;
  }

  /** Whether a signal has come. */
  boolean any() {
    return received.get() > 0;
  }

  private void received() {
    if (received.incrementAndGet() > 1) {
      Runtime.getRuntime().halt(EXIT_CODE);
    }
    System.err.println("\nhirundo: ending cleanly; once more to end at once");
    Thread.ofPlatform().daemon().name("hirundo-ending").start(Interrupts::remind);
    request.run();
  }

  private static void remind() {
    try {
      TimeUnit.SECONDS.sleep(REMINDER_SECONDS);
    } catch (InterruptedException e) {
      return;
    }
    System.err.println(
        "hirundo: the command has not ended for " + REMINDER_SECONDS + " s, a training may be saving; Ctrl-C once more ends it at once");
  }
}
