package io.hirundo.lib.engine.lifecycle;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.function.Consumer;

/**
 * What an owner has opened so far. Closing closes all of it, the newest first, each even where another fails, so that an
 * owner that cannot be opened to the end leaves nothing behind. Not thread-safe.
 */
public final class Opened implements AutoCloseable {
    private final Deque<Runnable> closings = new ArrayDeque<>();

    /** Takes over a resource, and returns it. */
    public <T> T add(T resource, Consumer<? super T> close) {
        closings.push(() -> close.accept(resource));
        return resource;
    }

    /** Throws the first failure, with the others suppressed in it. */
    @Override
    public void close() {
        RuntimeException first = null;
        while (!closings.isEmpty()) {
            try {
                closings.pop().run();
            } catch (RuntimeException failure) {
                if (first == null) {
                    first = failure;
                } else {
                    first.addSuppressed(failure);
                }
            }
        }
        if (first != null) {
            throw first;
        }
    }

    /** Closes because opening failed: that is the failure to be thrown, what closing adds is suppressed in it. */
    public void closeAfter(Throwable failure) {
        try {
            close();
        } catch (RuntimeException further) {
            failure.addSuppressed(further);
        }
    }
}
