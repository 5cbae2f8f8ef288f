package io.hirundo.device;

import io.hirundo.tensor.Tensor;
import java.lang.foreign.MemorySegment;
import org.osgi.annotation.versioning.ConsumerType;

/** Copies between host memory and a device, in queue order. */
@ConsumerType
public interface Transfer {
    /**
     * Copies {@code tensor.byteSize()} bytes from the start of {@code host}, in the tensor's dtype, little-endian. The host memory
     * may be reused after the queue is drained.
     */
    void upload(Queue queue, MemorySegment host, Tensor tensor);

    /**
     * Like {@link #upload}, but the host memory has been read when this returns. A device with a staging buffer waits for the queue
     * only if the buffer is full.
     */
    default void uploadAtOnce(Queue queue, MemorySegment host, Tensor tensor) {
        upload(queue, host, tensor);
        queue.drain();
    }

    /**
     * Copies the tensor's bytes to the start of {@code host}; they are valid after the queue is drained. A device that does not
     * compute delivers NaN, or zeros for integers.
     */
    void download(Queue queue, Tensor tensor, MemorySegment host);
}
