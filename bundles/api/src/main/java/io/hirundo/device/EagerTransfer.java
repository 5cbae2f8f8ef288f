package io.hirundo.device;

import io.hirundo.tensor.Tensor;
import java.lang.foreign.MemorySegment;
import org.osgi.annotation.versioning.ConsumerType;

/** A transfer whose uploads have read the host memory when they return, even if the copy to the device is still in flight. */
@ConsumerType
public interface EagerTransfer extends Transfer {
    @Override
    default void uploadAtOnce(Queue queue, MemorySegment host, Tensor tensor) {
        upload(queue, host, tensor);
    }
}
