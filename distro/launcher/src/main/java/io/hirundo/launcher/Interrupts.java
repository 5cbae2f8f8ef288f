package io.hirundo.launcher;

import java.util.concurrent.TimeUnit;
import sun.misc.Signal;

/**
 * Ctrl-C, SIGTERM and SIGHUP, which a lost terminal or ssh session sends. The first asks the running command to end, and
 * leaves it the time that it needs: to save a large model can take minutes. A second Ctrl-C or SIGTERM ends the process at
 * once. A second SIGHUP does not: a session that ends sends several, and SIGTERM with them. Where a signal is ignored when
 * the process starts, SIGHUP under {@code nohup} for instance, the JVM leaves it ignored.
 *
 * <p>Not a shutdown hook: once the JVM shuts down, its other hooks close log files and delete temporary files at the same
 * time, while the command still saves its model.
 */
final class Interrupts {
  /** Exit code of a process that a signal ended; {@code io.hirundo.ExitCode.INTERRUPTED} inside the framework. */
  static final int EXIT_CODE = 130;

  /** After this time without an end the user is told again that there is another way. */
  private static final int REMINDER_SECONDS = 60;

  private enum Phase {
    /** No command runs yet: there is nothing to save. */
    STARTING,
    RUNNING,
    /** The command has ended, and its result stands. */
    ENDED
  }

  private Phase phase = Phase.STARTING;
  private Runnable cleanUp = () -> {};
  private Runnable request;
  private boolean requested;
  private boolean hungUp;
  /** Of those of which a second one ends the process. */
  private int insistent;

  private Interrupts() {}

  /** From now on signals come here. Until a command runs, the first ends the process. */
  static Interrupts listen() {
    Interrupts interrupts = new Interrupts();
    handle("INT", interrupts::insist);
    handle("TERM", interrupts::insist);
    handle("HUP", interrupts::hangUp);
    return interrupts;
  }

  private static void handle(String signal, Runnable received) {
    try {
      Signal.handle(new Signal(signal), _ -> received.run());
    } catch (IllegalArgumentException e) {
      // The JVM was told to leave this signal to others (-Xrs): then it ends the process as it always does.
    }
  }

  /** What else a signal does that ends the process before a command runs. */
  synchronized void beforeEarlyEnd(Runnable cleanUp) {
    this.cleanUp = cleanUp;
  }

  /** From now on the first signal goes to the request, which returns soon; it runs on a thread of its own, once at most. */
  synchronized void commandRuns(Runnable request) {
    this.request = request;
    phase = Phase.RUNNING;
  }

  /** From now on a first signal changes nothing: the process ends in a moment, with the command's result. */
  synchronized void commandHasEnded() {
    phase = Phase.ENDED;
  }

  /** Whether the command was asked to end. */
  synchronized boolean any() {
    return requested;
  }

  /** Whether the terminal may have gone. */
  synchronized boolean hungUp() {
    return hungUp;
  }

  private void insist() {
    received(true);
  }

  private void hangUp() {
    received(false);
  }

  private void received(boolean insists) {
    synchronized (this) {
      hungUp |= !insists;
      insistent += insists ? 1 : 0;
      if (phase == Phase.STARTING) {
        cleanUp.run();
        Runtime.getRuntime().halt(EXIT_CODE);
      }
      if (insistent > 1) {
        Runtime.getRuntime().halt(EXIT_CODE);
      }
      if (requested || phase == Phase.ENDED) {
        return;
      }
      requested = true;
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
