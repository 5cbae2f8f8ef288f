package io.hirundo.itests.program;

import java.io.PrintStream;
import java.util.logging.ConsoleHandler;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.logging.SimpleFormatter;

/** Shows what the program shows: warnings and worse. */
final class Warnings extends Handler {
    private final PrintStream err;

    Warnings(PrintStream err) {
        this.err = err;
        setFormatter(new SimpleFormatter());
    }

    /** Adds this to the root logger, whose own handler, made at the first use, would keep the standard error of that time. */
    void replaceConsole() {
        Logger root = Logger.getLogger("");
        for (Handler handler : root.getHandlers()) {
            if (handler instanceof ConsoleHandler) {
                handler.setLevel(Level.OFF);
            }
        }
        root.addHandler(this);
    }

    @Override
    public void publish(LogRecord entry) {
        if (entry.getLevel().intValue() >= Level.WARNING.intValue()) {
            err.println(entry.getLevel() + " " + getFormatter().formatMessage(entry));
            if (entry.getThrown() != null) {
                entry.getThrown().printStackTrace(err);
            }
        }
    }

    @Override
    public void flush() {
        err.flush();
    }

    @Override
    public void close() {}
}
