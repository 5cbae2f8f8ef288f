package io.hirundo.mesh;

import io.hirundo.device.Event;
import org.osgi.annotation.versioning.ConsumerType;

/** A collective in flight. */
@ConsumerType
public interface Pending {
    /** Happens when the caller may use the operands again; queues can wait for it. */
    Event event();

    /**
     * Blocks until then.
     *
     * @throws io.hirundo.CommunicationException after the fabric's deadline, or if the world was aborted or left; names rank,
     *     collective and sequence number
     */
    default void await() {
        event().await();
    }
}
