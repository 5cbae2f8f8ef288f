package io.hirundo.lib.fabric;

import io.hirundo.CommunicationException;
import io.hirundo.Reason;

/**
 * Why a world ended.
 *
 * @param reason names the rank that failed
 * @param cause failure of a rank in this process, or null
 */
public record End(String reason, Throwable cause) {
    public static End failure(int rank, Throwable cause) {
        String message = Reason.of(cause);
        return new End("rank " + rank + " failed: " + message, cause);
    }

    /** The exception for a rank that began a collective or is about to. */
    public CommunicationException toldTo(int rank, String collective) {
        return new CommunicationException("rank " + rank + ": " + collective + " was ended: " + reason, cause);
    }
}
