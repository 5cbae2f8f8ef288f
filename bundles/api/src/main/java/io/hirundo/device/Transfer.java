package io.hirundo.device;

import io.hirundo.tensor.Tensor;
import java.lang.foreign.MemorySegment;
import org.osgi.annotation.versioning.ConsumerType;

/** Copies between host memory and a device, in the order of a queue. */
@ConsumerType
public interface Transfer {
  /**
   * Copies {@code tensor.byteSize()} bytes from the start of {@code host}, in the tensor's data type, little-endian. The host's
   * memory may be reused when this returns; it does not wait for work that was handed in before.
   */
  void upload(Queue queue, MemorySegment host, Tensor tensor);

  /**
   * Copies the tensor's bytes to the start of {@code host}; they are there once the queue is drained. A device that does not compute
   * delivers NaN, or zeros for integers.
   */
  void download(Queue queue, Tensor tensor, MemorySegment host);
}
