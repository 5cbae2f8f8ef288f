package io.hirundo.mesh;

import io.hirundo.device.Event;
import java.time.Duration;
import org.osgi.annotation.versioning.ConsumerType;

/** A collective under way. */
@ConsumerType
public interface Pending {
  /** Happens when the operands are the caller's again; queues can wait for it. */
  Event event();

  /**
   * Blocks until then.
   *
   * @throws io.hirundo.CommunicationException after the deadline or when the world was aborted; names rank, collective and
   *     sequence number
   */
  void await(Duration deadline);
}
