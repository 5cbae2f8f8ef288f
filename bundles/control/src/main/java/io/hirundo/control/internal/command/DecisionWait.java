package io.hirundo.control.internal.command;

import io.hirundo.train.Decision;
import io.hirundo.train.RunControl;
import io.hirundo.train.RunStatus;
import java.io.PrintStream;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Waits for the decision on a change request, and prints what it waits for. */
record DecisionWait(RunControl control, PrintStream out) {
    /** A faster decision is printed without a line about waiting. */
    private static final Duration PATIENCE = Duration.ofMillis(300);

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
        Duration patience = PATIENCE;
        while (true) {
            try {
                return request.get(patience.toMillis(), TimeUnit.MILLISECONDS);
            } catch (TimeoutException undecided) {
                out.println(waitsFor(control.status()));
                patience = REMINDER;
            } catch (ExecutionException failure) {
                throw new RejectedException("the run has failed: " + firstLine(failure.getCause()));
            }
        }
    }

    /** A failure's message on one line. */
    static String firstLine(Throwable failure) {
        String message = failure.getMessage() == null ? failure.toString() : failure.getMessage();
        return message.lines().findFirst().orElse("");
    }

    private static String waitsFor(RunStatus status) {
        return switch (status.state()) {
            case RUNNING -> "waiting for the current step to end";
            case PAUSED -> "waiting: the run is paused (" + status.reason() + ")";
            case ENDED -> "waiting: the run is ending";
        };
    }
}
