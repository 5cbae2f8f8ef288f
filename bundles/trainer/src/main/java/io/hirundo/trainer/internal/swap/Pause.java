package io.hirundo.trainer.internal.swap;

import io.hirundo.UnavailableException;
import io.hirundo.event.TrainingEvent;
import io.hirundo.event.TrainingListener;
import io.hirundo.lib.run.strategy.RunStrategies;
import io.hirundo.trainer.internal.session.LocalRun;
import java.util.concurrent.TimeUnit;

/** Pauses a run between two steps, because a user requested it or because a strategy that the run needs is missing. */
public final class Pause {
    private static final long POLL_MILLIS = 50;

    private final LocalRun run;
    private final RunStrategies strategies;
    private final TrainingListener events;
    private boolean requested;
    /** The reason, if no user requested the pause. */
    private String cause = "requested";

    private String announced = "";
    private long beginNanos;
    private long missingSinceNanos;

    public Pause(LocalRun run, RunStrategies strategies, TrainingListener events) {
        this.run = run;
        this.strategies = strategies;
        this.events = events;
    }

    /** Starts or ends a pause at a user's request. */
    public void ask(boolean on) {
        requested = on;
        cause = "requested";
    }

    /** Starts a pause for a reason inside the run. */
    public void ask(String reason) {
        requested = true;
        cause = reason;
    }

    public boolean isOn() {
        return !reason().isEmpty();
    }

    /** Empty if the run is not paused. */
    public String reason() {
        String missing = strategies.missing();
        return missing.isEmpty() && requested ? cause : missing;
    }

    /** Restarts the waiting time for missing strategies. Called after each step. */
    public void restartClock() {
        beginNanos = System.nanoTime();
        missingSinceNanos = beginNanos;
    }

    /** Reports the begin and end of a pause and changes of its reason. Returns whether there was anything to report. */
    public boolean announce() {
        String reason = reason();
        if (reason.equals(announced)) {
            return false;
        }
        announced = reason;
        if (reason.isEmpty()) {
            events.on(new TrainingEvent.RunResumed(run.stepsDone(), System.nanoTime() - beginNanos));
            run.resetClock();
        } else {
            events.on(new TrainingEvent.RunPaused(run.stepsDone(), reason));
        }
        return true;
    }

    /**
     * Waits 50 ms. A requested pause has no time limit. All processes call this together.
     *
     * @throws UnavailableException if a missing strategy did not return in time
     */
    public void waitAMoment() {
        try {
            Thread.sleep(POLL_MILLIS);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
        String missing = strategies.missing();
        if (missing.isEmpty()) {
            missingSinceNanos = System.nanoTime();
        }
        long seconds = run.configuration().swap().waitSeconds();
        boolean late = System.nanoTime() - missingSinceNanos > TimeUnit.SECONDS.toNanos(seconds);
        // If one process's time is over, all processes stop waiting.
        if (run.exchange(late ? "late" : "").stream().anyMatch(text -> !text.isEmpty())) {
            throw new UnavailableException(missing + ", and did not come back within " + seconds
                    + " s (swap.waitSeconds); bring the bundle back and continue with --resume");
        }
    }
}
