package io.hirundo.control.internal.prompt;

import java.util.ArrayList;
import java.util.List;
import java.util.logging.ConsoleHandler;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;

/**
 * Redirects console log output to the current {@code System.err}: a {@link ConsoleHandler} keeps the stream that it was created
 * with, and its lines would break the prompt's line.
 */
final class ConsoleLogs implements AutoCloseable {
    private final Logger root = Logger.getLogger("");
    private final List<Handler> replaced = new ArrayList<>();
    private final List<Handler> present = new ArrayList<>();

    ConsoleLogs() {
        for (Handler handler : root.getHandlers()) {
            if (handler instanceof ConsoleHandler console) {
                replaced.add(console);
                present.add(new Follower(console));
            }
        }
        replaced.forEach(root::removeHandler);
        present.forEach(root::addHandler);
    }

    @Override
    public void close() {
        present.forEach(root::removeHandler);
        replaced.forEach(root::addHandler);
    }

    /** Prints like the handler that it replaces. */
    private static final class Follower extends Handler {
        Follower(Handler console) {
            setFormatter(console.getFormatter());
            setLevel(console.getLevel());
            setFilter(console.getFilter());
        }

        @Override
        public void publish(LogRecord message) {
            if (isLoggable(message)) {
                System.err.print(getFormatter().format(message));
                System.err.flush();
            }
        }

        @Override
        public void flush() {}

        @Override
        public void close() {}
    }
}
