package io.hirundo.launcher;

import java.util.concurrent.TimeUnit;
import sun.misc.Signal;

/**
 * Handles Ctrl-C, SIGTERM and SIGHUP (sent by a lost terminal or ssh session). The first signal asks the command to end and
 * leaves it the time that it needs: saving a large model can take minutes. A second Ctrl-C or SIGTERM ends the process at once. A
 * second SIGHUP does not: an ending session sends several, together with SIGTERM. If a signal is ignored at process start, such as
 * SIGHUP under {@code nohup}, the JVM keeps ignoring it.
 *
 * <p>Not a shutdown hook: during JVM shutdown, other hooks close log files and delete temporary files while the command still
 * saves its model.
 */
final class Interrupts {
    /** Exit code of a process ended by a signal; {@code io.hirundo.ExitCode.INTERRUPTED} inside the framework. */
    static final int EXIT_CODE = 130;

    /** After this time the user is reminded how to end the process at once. */
    private static final int REMINDER_SECONDS = 60;

    /** No action before a command runs: there is nothing to save. */
    private Runnable request = () -> {};

    private boolean requested;
    private boolean ended;
    private boolean hungUp;
    /** Signals whose second occurrence ends the process. */
    private int insistent;

    private Interrupts() {}

    /** Starts handling signals. */
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
            // The JVM runs with -Xrs, which leaves this signal to the operating system's default: it ends the process.
        }
    }

    /**
     * Sends the first signal to the request, which must return soon. The request runs at most once, on a thread of its own.
     *
     * @return false if a signal arrived already: then the command must not run
     */
    synchronized boolean commandRuns(Runnable request) {
        this.request = request;
        return !requested;
    }

    /** Ignores a first signal from now on: the process is about to end with the command's result. */
    synchronized void commandHasEnded() {
        ended = true;
    }

    /** Whether a signal asked the command to end, or not to start. */
    synchronized boolean any() {
        return requested;
    }

    /** Whether the terminal may be gone. */
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
        System.err.println("\nhirundo: ending cleanly; press Ctrl-C again to end at once");
        Thread.ofPlatform().daemon().name("hirundo-ending").start(Interrupts::remind);
        first.run();
    }

    private static void remind() {
        try {
            TimeUnit.SECONDS.sleep(REMINDER_SECONDS);
        } catch (InterruptedException e) {
            return;
        }
        System.err.println("hirundo: the command has not ended after " + REMINDER_SECONDS
                + " s; it may be saving. Press Ctrl-C again to end it at once");
    }
}
