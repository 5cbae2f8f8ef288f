package io.hirundo.precision;

import org.osgi.annotation.versioning.ConsumerType;

/** What a precision strategy made of a weight. Only the {@link LinearMath} that made it understands it. */
@ConsumerType
public interface PreparedWeight extends AutoCloseable {
  @Override
  void close();
}
