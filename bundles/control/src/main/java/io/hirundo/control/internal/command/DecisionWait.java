package io.hirundo.control.internal.command;

import io.hirundo.Reason;
import io.hirundo.train.ChangeProgress;
import io.hirundo.train.Decision;
import io.hirundo.train.RunControl;
import io.hirundo.train.RunStatus;
import java.io.PrintStream;
import java.time.Duration;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Waits for the decision on a change request, and prints what it waits for. */
record DecisionWait(RunControl control, PrintStream out) {
    /** How often to look what the run does. A faster decision is printed without a line about waiting. */
    private static final Duration POLL_INTERVAL = Duration.ofMillis(300);

    /** How often the same line is repeated. */
    private static final Duration REMINDER = Duration.ofSeconds(10);

    /**
     * Prints the run's decision.
     *
     * @throws RejectedException if the run rejected the request
     */
    void print(CompletableFuture<Decision> request) throws InterruptedException {
        Decision decision = await(request);
        if (!decision.granted()) {
            throw new RejectedException(decision.message());
        }
        out.println("after step " + decision.step() + ": " + decision.message());
    }

    private Decision await(CompletableFuture<Decision> request) throws InterruptedException {
        String printed = "";
        long printedNanos = 0;
        while (true) {
            try {
                return request.get(POLL_INTERVAL.toMillis(), TimeUnit.MILLISECONDS);
            } catch (TimeoutException undecided) {
                Optional<ChangeProgress> progress = control.changeProgress();
                String reason = progress.map(DecisionWait::waitsFor).orElseGet(() -> waitsFor(control.status()));
                long now = System.nanoTime();
                if (!reason.equals(printed) || now - printedNanos >= REMINDER.toNanos()) {
                    out.println(reason + progress.map(DecisionWait::duration).orElse(""));
                    printed = reason;
                    printedNanos = now;
                }
            } catch (ExecutionException failure) {
                throw new RejectedException("the run has failed: " + firstLine(failure.getCause()));
            }
        }
    }

    /** A failure's message on one line. */
    static String firstLine(Throwable failure) {
        String message = Reason.of(failure);
        return message.lines().findFirst().orElse("");
    }

    private static String waitsFor(ChangeProgress progress) {
        return switch (progress.phase()) {
            case PREPARE -> "waiting: the run builds the new strategies";
            case PARITY_CHECK -> "waiting: the parity check compares old and new strategies";
            case COMMIT -> "waiting: all ranks take the new strategies";
        };
    }

    private static String duration(ChangeProgress progress) {
        String previous = progress.previous()
                .map(duration -> "the previous time it took " + seconds(duration))
                .orElse("the first time since the run started");
        return " (for " + seconds(progress.elapsed()) + "; " + previous + ")";
    }

    private static String seconds(Duration duration) {
        return String.format(Locale.ROOT, "%.1f s", duration.toMillis() / 1e3);
    }

    private static String waitsFor(RunStatus status) {
        return switch (status.state()) {
            case RUNNING -> "waiting for the current step to end";
            case PAUSED -> "waiting: the run is paused (" + status.reason() + ")";
            case ENDED -> "waiting: the run is ending";
        };
    }
}
