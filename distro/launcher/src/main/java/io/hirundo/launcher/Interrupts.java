package io.hirundo.launcher;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import sun.misc.Signal;

/**
 * Ctrl-C and SIGTERM. The first asks the running command to end, and gives it {@value #GRACE_SECONDS} seconds for that;
 * the second ends the process at once.
 *
 * <p>Not a shutdown hook: once the JVM shuts down, its other hooks close log files and delete temporary files at the same
 * time, while the command still saves its model.
 */
final class Interrupts {
  static final int GRACE_SECONDS = 60;

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
    Thread.ofPlatform().daemon().name("hirundo-grace").start(Interrupts::haltAfterGrace);
    request.run();
  }

  private static void haltAfterGrace() {
    try {
      TimeUnit.SECONDS.sleep(GRACE_SECONDS);
    } catch (InterruptedException e) {
      return;
    }
    System.err.println("hirundo: the command did not end within " + GRACE_SECONDS + " s of being asked to");
    Runtime.getRuntime().halt(EXIT_CODE);
  }
}
