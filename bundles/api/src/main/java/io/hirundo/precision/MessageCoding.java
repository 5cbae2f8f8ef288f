package io.hirundo.precision;

import io.hirundo.device.Queue;
import io.hirundo.tensor.Tensor;
import org.osgi.annotation.versioning.ConsumerType;

/** Quantizes activations and their gradients for point-to-point transfers between ranks. Lossy. Confined to one thread. */
@ConsumerType
public interface MessageCoding {
    /** Allocates memory for one transfer, a single piece, in category COMMUNICATION. The caller owns it. */
    PackedOperand allocate(long rows, long columns);

    /** Quantizes {@code xMK}, which has the activation dtype and the shape passed to {@link #allocate}. */
    void pack(Queue queue, Tensor xMK, PackedOperand message);

    /** Dequantizes a received message into {@code xMK}. */
    void unpack(Queue queue, PackedOperand message, Tensor xMK);
}
