package io.hirundo.device;

import org.osgi.annotation.versioning.ConsumerType;

/** Times the kernels that a device is given from {@link Device#timeKernels} on, until it is closed. */
@ConsumerType
public interface KernelTimer extends AutoCloseable {
  /**
   * Waits for the kernels that were handed in until now, and tells what they took.
   *
   * @throws io.hirundo.DeviceException when the device fails
   * @throws IllegalStateException when this is closed
   */
  KernelTimes times();

  @Override
  void close();
}
