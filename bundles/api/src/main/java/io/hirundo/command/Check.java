package io.hirundo.command;

import java.util.List;
import org.osgi.annotation.versioning.ConsumerType;

/** A check of {@code hirundo doctor}. Every OSGi service of this type is called. */
@ConsumerType
public interface Check {
    /** Runs the check. Must not change anything, and takes at most about a second. */
    List<Finding> look();

    /**
     * Result of a check.
     *
     * @param state whether the subject is usable
     * @param subject a word or two, for instance {@code JDK}
     * @param text what was found and will be used; or what is missing, why, and what to do
     */
    record Finding(State state, String subject, String text) {}

    /** Whether something is usable. */
    enum State {
        /** Found, and will be used. */
        GOOD,
        /** Not found, and not needed. */
        ABSENT,
        /** Wrong: something will fail or run poorly. */
        BAD
    }
}
