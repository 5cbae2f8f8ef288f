package io.hirundo.trainer.internal.command;

import io.hirundo.command.Interruption;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Supplier;

/**
 * Runs work that writes nothing: Ctrl-C ends the command at once, in every phase. The work
 * itself checks the interruption only between phases, which may be minutes apart for a large mesh.
 */
final class Interruptible {
  private Interruptible() {}

  /** The result of the work, or its exception; empty when the user interrupts. The thread ends with the process. */
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
