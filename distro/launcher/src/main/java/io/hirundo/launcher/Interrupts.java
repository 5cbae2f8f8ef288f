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

  /** Nothing before a command runs: there is nothing to save. */
  private Runnable request = () -> {};
  private boolean requested;
  private boolean ended;
  private boolean hungUp;
  /** Of those of which a second one ends the process. */
  private int insistent;

  private Interrupts() {}

  /** From now on signals come here. */
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

  /**
   * From now on the first signal goes to the request, which returns soon; it runs on a thread of its own, once at most.
   *
   * @return false if a signal has come already: then the command must not run
   */
  synchronized boolean commandRuns(Runnable request) {
    this.request = request;
    return !requested;
  }

  /** From now on a first signal changes nothing: the process ends in a moment, with the command's result. */
  synchronized void commandHasEnded() {
    ended = true;
  }

  /** Whether the command was asked to end, or must not begin. */
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
    Runnable first;
    synchronized (this) {
      hungUp |= !insists;
      insistent += insists ? 1 : 0;
      if (insistent > 1) {
        Runtime.getRuntime().halt(EXIT_CODE);
      }
      if (requested || ended) {
        return;
      }
      requested = true;
      first = request;
    }
    System.err.println("\nhirundo: ending cleanly; once more to end at once");
    Thread.ofPlatform().daemon().name("hirundo-ending").start(Interrupts::remind);
    first.run();
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
