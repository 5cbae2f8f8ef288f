package io.hirundo.device;

import io.hirundo.tensor.Tensor;
import java.lang.foreign.MemorySegment;
import org.osgi.annotation.versioning.ConsumerType;

/** Copies between host memory and a device, in the order of a queue. */
@ConsumerType
public interface Transfer {
  /**
   * Copies {@code tensor.byteSize()} bytes from the start of {@code host}, in the tensor's data type, little-endian. The host's
   * memory may be reused once the queue is drained.
   */
  void upload(Queue queue, MemorySegment host, Tensor tensor);

  /**
   * As {@link #upload}, but the host's memory has been read when this returns. A device that can copy it elsewhere first need not wait
   * for the queue, or only where it has no more room for copies on their way.
   */
  default void uploadAtOnce(Queue queue, MemorySegment host, Tensor tensor) {
    upload(queue, host, tensor);
    queue.drain();
  }

  /**
   * Copies the tensor's bytes to the start of {@code host}; they are there once the queue is drained. A device that does not compute
   * delivers NaN, or zeros for integers.
   */
  void download(Queue queue, Tensor tensor, MemorySegment host);
}
