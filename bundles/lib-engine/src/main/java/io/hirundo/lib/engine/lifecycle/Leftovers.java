package io.hirundo.lib.engine.lifecycle;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What a strategy leaves that cannot be closed: worth a line, and no reason to end a run that works with another by now. */
public final class Leftovers {
    private static final Logger LOG = LoggerFactory.getLogger(Leftovers.class);

    private Leftovers() {}

    /** Closes, or says why not; {@code what} is left where it fails. */
    public static void close(String what, Runnable close) {
        try {
            close.run();
        } catch (RuntimeException | LinkageError failure) {
            LOG.error("{} could not be closed, and may hold memory until the run ends", what, failure);
        }
    }
}
