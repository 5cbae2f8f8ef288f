package io.hirundo.precision;

import org.osgi.annotation.versioning.ConsumerType;

/** A weight as a precision strategy prepared it. Opaque to all but the {@link LinearMath} that prepared it. */
@ConsumerType
public interface PreparedWeight extends AutoCloseable {
    @Override
    void close();
}
