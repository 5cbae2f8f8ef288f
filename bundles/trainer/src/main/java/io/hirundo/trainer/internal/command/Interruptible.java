package io.hirundo.trainer.internal.command;

import io.hirundo.command.Interruption;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Supplier;

/**
 * Work that writes nothing and may be left where it is: Ctrl-C ends the command at once, whatever phase the work is in. The work
 * itself looks at the interruption only where it passes by, which may be minutes away for a large mesh.
 */
final class Interruptible {
  private Interruptible() {}

  /** What the work finds, or what it throws; empty when the user interrupts it. Its thread ends with the process. */
  static <T> Optional<T> call(Interruption interruption, String name, Supplier<T> work) {
    var outcome = new CompletableFuture<Optional<T>>();
    try (var _ = interruption.onRequest(() -> outcome.complete(Optional.empty()))) {
      Thread.ofPlatform().daemon().name(name).start(
          () -> {
            try {
              outcome.complete(Optional.of(work.get()));
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
