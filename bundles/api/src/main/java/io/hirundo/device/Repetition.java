package io.hirundo.device;

import org.osgi.annotation.versioning.ConsumerType;

/** One execution of a repeated section of a queue; see {@link Queue#repetition}. */
@ConsumerType
public interface Repetition extends AutoCloseable {
    /** Does nothing; for queues without graph capture. */
    Repetition UNUSED = () -> {};

    /** Ends the section. */
    @Override
    void close();
}
