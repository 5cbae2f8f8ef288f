package io.hirundo.trainer.internal.record;

import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.logging.SimpleFormatter;

/**
 * While open, copies log messages of all bundles to a rank's {@code log.txt}: bundles started and stopped, rejections, and
 * every warning on the console. A failed write does not disturb the logging thread; the message
 * counts as an event that a monitor missed.
 */
public final class LogCapture extends Handler implements AutoCloseable {
    private static final String KIND = "a logged message";

    private final RunLog log;
    private final MissedEvents missed;

    public LogCapture(RunLog log, MissedEvents missed) {
        this.log = log;
        this.missed = missed;
        setFormatter(new SimpleFormatter());
        Logger.getLogger("").addHandler(this);
    }

    @Override
    public void publish(LogRecord message) {
        if (!isLoggable(message)) {
            return;
        }
        // MissedEvents logs the failure, which arrives here again: this time it is only counted.
        missed.deliver(
                log,
                KIND,
                () -> log.message(
                        message.getLevel().getName(), getFormatter().formatMessage(message), message.getThrown()));
    }

    @Override
    public void flush() {}

    @Override
    public void close() {
        Logger.getLogger("").removeHandler(this);
    }
}
