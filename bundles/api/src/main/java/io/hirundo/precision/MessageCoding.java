package io.hirundo.precision;

import io.hirundo.device.Queue;
import io.hirundo.tensor.Tensor;
import org.osgi.annotation.versioning.ConsumerType;

/** How activations and their gradients go from rank to rank in fewer bits than they have, which rounds them. For one thread. */
@ConsumerType
public interface MessageCoding {
  /** Memory for a message of so many rows and columns, a single piece, of the category for communication; the caller's. */
  PackedOperand allocate(long rows, long columns);

  /** {@code xMK}: of the activations' type, as many rows and columns. */
  void pack(Queue queue, Tensor xMK, PackedOperand message);

  /** {@code xMK} receives what the message stands for. */
  void unpack(Queue queue, PackedOperand message, Tensor xMK);
}
