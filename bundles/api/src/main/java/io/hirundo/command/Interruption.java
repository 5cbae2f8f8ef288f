package io.hirundo.command;

import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Supplier;
import org.osgi.annotation.versioning.ProviderType;

/** Whether the user requested a stop (Ctrl-C, SIGTERM). An OSGi service. Long operations poll it and end cleanly. Thread-safe. */
@ProviderType
public interface Interruption {
    boolean isRequested();

    /** Runs the action when a stop is requested, or immediately if it already was. Close the result to unregister. */
    Registration onRequest(Runnable action);

    /**
     * Runs work that writes nothing, or only what appears complete or not at all: the command ends at once when the user asks for it, in
     * every phase. A long read never checks, and the work itself may check minutes apart.
     *
     * @param thread name of the thread that works; after a request it ends with the process
     * @return the result of the work; empty when a stop is requested first
     * @throws RuntimeException the exception of the work
     */
    default <T> Optional<T> call(String thread, Supplier<T> work) {
        var outcome = new CompletableFuture<Optional<T>>();
        try (var _ = onRequest(() -> outcome.complete(Optional.empty()))) {
            Thread.ofPlatform().daemon().name(thread).start(() -> {
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

    /** Unregisters an {@link #onRequest} action. */
    interface Registration extends AutoCloseable {
        @Override
        void close();
    }
}
