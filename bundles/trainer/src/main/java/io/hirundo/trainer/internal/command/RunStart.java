package io.hirundo.trainer.internal.command;

import io.hirundo.ExitCode;
import io.hirundo.command.Interruption;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;

/**
 * The part of a training before its first step: it reads models, checkpoints and metrics, which may take minutes, and has nothing to
 * save. A stop request ends it as a kill does, unless it ends itself soon. The steps that follow heed a request where they can save.
 */
final class RunStart {
    private static final long GRACE_MILLIS = 1000;

    private enum Phase {
        STARTING,
        STEPS,
        ENDED
    }

    private final Interruption interruption;
    private final long graceMillis;
    private final AtomicReference<Phase> phase = new AtomicReference<>(Phase.STARTING);

    RunStart(Interruption interruption) {
        this(interruption, GRACE_MILLIS);
    }

    RunStart(Interruption interruption, long graceMillis) {
        this.interruption = interruption;
        this.graceMillis = graceMillis;
    }

    /**
     * The first step begins.
     *
     * @throws CancellationException if the run has ended already
     */
    void isOver() {
        if (phase.compareAndExchange(Phase.STARTING, Phase.STEPS) == Phase.ENDED) {
            throw new CancellationException("a stop request ended the start");
        }
    }

    /** Exit code of the work, or {@link ExitCode#INTERRUPTED} if it is ended; its thread then ends with the process. */
    int call(Supplier<Integer> work) {
        return new WhileStarting().call("hirundo-train", work).orElse(ExitCode.INTERRUPTED);
    }

    /** Passes requests on while the run starts, after the time in which it may end itself. */
    private final class WhileStarting implements Interruption {
        @Override
        public boolean isRequested() {
            return interruption.isRequested();
        }

        @Override
        public Registration onRequest(Runnable action) {
            Runnable end = () -> {
                if (phase.compareAndSet(Phase.STARTING, Phase.ENDED)) {
                    action.run();
                }
            };
            return interruption.onRequest(() -> CompletableFuture.delayedExecutor(graceMillis, TimeUnit.MILLISECONDS)
                    .execute(end));
        }
    }
}
