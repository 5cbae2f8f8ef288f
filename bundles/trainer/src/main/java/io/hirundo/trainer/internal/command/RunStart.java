package io.hirundo.trainer.internal.command;

import io.hirundo.ExitCode;
import io.hirundo.command.Interruption;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
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
    var outcome = new CompletableFuture<Integer>();
    Runnable end =
        () -> {
          if (phase.compareAndSet(Phase.STARTING, Phase.ENDED)) {
            outcome.complete(ExitCode.INTERRUPTED);
          }
        };
    try (var _ = interruption.onRequest(() -> CompletableFuture.delayedExecutor(graceMillis, TimeUnit.MILLISECONDS).execute(end))) {
      Thread.ofPlatform().daemon().name("hirundo-train").start(
          () -> {
            try {
              outcome.complete(work.get());
            } catch (RuntimeException | Error failure) {
              outcome.completeExceptionally(failure);
            }
          });
      return outcome.join();
    } catch (CompletionException failure) {
      if (failure.getCause() instanceof Error error) {
        throw error;
      }
      throw (RuntimeException) failure.getCause();
    }
  }
}
