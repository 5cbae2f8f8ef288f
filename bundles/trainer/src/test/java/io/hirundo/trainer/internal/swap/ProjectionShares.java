package io.hirundo.trainer.internal.swap;

import io.hirundo.trainer.internal.gate.ParityGate;
import java.util.Locale;
import java.util.concurrent.atomic.DoubleAccumulator;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;

/**
 * With the property {@code hirundo.gates}, prints which part of the projection's tolerance parity checks used at most, for docs/swap.md. Other
 * tests of the same JVM count, too, so only one may run.
 */
final class ProjectionShares extends Handler implements AutoCloseable {
    private static final Logger LOGGER = Logger.getLogger(ParityGate.class.getName());
    private static final boolean PRINTS = Integer.getInteger("hirundo.gates") != null;

    private final DoubleAccumulator largest = new DoubleAccumulator(Math::max, 0);

    ProjectionShares() {
        setLevel(Level.FINE);
        if (PRINTS) {
            LOGGER.setLevel(Level.FINE);
            LOGGER.addHandler(this);
        }
    }

    @Override
    public void publish(LogRecord message) {
        String text = message.getMessage();
        if (text.startsWith("projection of the ")) {
            largest.accumulate(Double.parseDouble(
                    text.substring(text.lastIndexOf(": ") + 2, text.length() - " of its tolerance".length())));
        }
    }

    @Override
    public void flush() {}

    @Override
    public void close() {
        if (PRINTS) {
            LOGGER.removeHandler(this);
            LOGGER.setLevel(null);
            System.out.printf(
                    Locale.ROOT, "sound swaps used at most %.2f of the projection's tolerance%n", largest.get());
        }
    }
}
