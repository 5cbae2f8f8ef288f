package io.hirundo.device;

import org.osgi.annotation.versioning.ConsumerType;

/** A point in a queue's line of work. */
@ConsumerType
public interface Event {
  boolean hasHappened();
}
