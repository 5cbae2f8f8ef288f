package io.hirundo.mesh.support;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.osgi.annotation.versioning.ConsumerType;

/** What groups and lanes ask of the world that they are part of. Thread-safe. */
@ConsumerType
public interface LaneHost {
  /** Guards the state of the world, of its groups and of its lanes. */
  ReentrantLock lock();

  boolean hasEnded();

  /**
   * Fails once the world has ended, or the rank has left it.
   *
   * @param what the rank is about to do, or waits for
   * @throws io.hirundo.CommunicationException then; names the rank, {@code what} and the reason
   */
  void requireAlive(int rank, String what);

  /** Ends everything that is under way or comes later. Only the first end counts. Stops the lanes. */
  void end(End why);

  /** A lane has a thread from now on. Called under the lock. */
  void started(Lane lane);

  /** It has none any more. */
  void ended(Lane lane);

  /** The deadline of everything. */
  int timeoutSeconds();

  default long timeoutNanos() {
    return TimeUnit.SECONDS.toNanos(timeoutSeconds());
  }
}
