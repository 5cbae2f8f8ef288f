package io.hirundo.device;

import org.osgi.annotation.versioning.ConsumerType;

/** A point in a line of work: of a queue, or the end of a collective. Thread-safe. */
@ConsumerType
public interface Event {
  /** Has happened. */
  Event PAST =
      new Event() {
        @Override
        public boolean hasHappened() {
          return true;
        }

        @Override
        public void await() {}
      };

  /** Whether all work before the point has ended, well or not. */
  boolean hasHappened();

  /**
   * Blocks the calling thread until it has happened, no longer than the deadline of whoever made it.
   *
   * @throws io.hirundo.CommunicationException for a collective that failed, was aborted or took too long; names rank,
   *     collective and sequence number
   */
  void await();
}
