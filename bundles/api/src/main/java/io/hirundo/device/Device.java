package io.hirundo.device;

import io.hirundo.kernel.Kernels;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Shape;
import io.hirundo.tensor.Tensor;
import java.util.Optional;
import org.osgi.annotation.versioning.ConsumerType;

/** An open device. Owned by one rank; closing it gives back all that is left. */
@ConsumerType
public interface Device extends AutoCloseable {
  DeviceInfo info();

  /** Whether values are computed. A device that only counts says false, and reads back NaN. */
  boolean computes();

  /** A new in-order queue. */
  Queue newQueue(String purpose);

  /**
   * Takes memory. The contents are undefined.
   *
   * @return a tensor that the caller owns
   * @throws io.hirundo.DeviceException when the memory is not to be had; the message says what uses how much
   */
  Tensor allocate(MemoryCategory category, Shape shape, DType dtype);

  Kernels kernels();

  Transfer transfer();

  /**
   * Times kernels from now on, in all queues, which costs time. Any thread may ask, also while others launch.
   *
   * @return to be closed by the caller; empty where the device cannot
   * @throws IllegalStateException where another timer is open
   */
  default Optional<KernelTimer> timeKernels() {
    return Optional.empty();
  }

  @Override
  void close();
}
