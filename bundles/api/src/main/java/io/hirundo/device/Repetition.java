package io.hirundo.device;

import org.osgi.annotation.versioning.ConsumerType;

/** Work of a queue that comes again and again, one time; see {@link Queue#repetition}. */
@ConsumerType
public interface Repetition extends AutoCloseable {
  /** Of a queue that makes nothing of it. */
  Repetition UNUSED = () -> {};

  /** It ends here, this time. */
  @Override
  void close();
}
