package io.hirundo.mesh;

import io.hirundo.device.Event;
import org.osgi.annotation.versioning.ConsumerType;

/** A collective under way. */
@ConsumerType
public interface Pending {
  /** Happens when the operands are the caller's again; queues can wait for it. */
  Event event();

  /**
   * Blocks until then.
   *
   * @throws io.hirundo.CommunicationException after the fabric's deadline, or when the world was aborted or left; names rank,
   *     collective and sequence number
   */
  default void await() {
    event().await();
  }
}
