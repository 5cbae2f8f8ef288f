package io.hirundo.device;

import io.hirundo.tensor.Tensor;
import java.lang.foreign.MemorySegment;
import org.osgi.annotation.versioning.ConsumerType;

/** A transfer whose every upload has read the host's memory when it returns, wherever the copy itself stands. */
@ConsumerType
public interface EagerTransfer extends Transfer {
  @Override
  default void uploadAtOnce(Queue queue, MemorySegment host, Tensor tensor) {
    upload(queue, host, tensor);
  }
}
