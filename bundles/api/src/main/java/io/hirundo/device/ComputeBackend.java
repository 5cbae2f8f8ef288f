package io.hirundo.device;

import java.util.List;
import org.osgi.annotation.versioning.ConsumerType;

/** A kind of device: {@code cpu}, {@code meta}, {@code cuda}. Strategy kind {@code device}. */
@ConsumerType
public interface ComputeBackend {
  /** The devices of this machine; empty when there is none. */
  List<DeviceInfo> devices();

  /**
   * The same, for a process in which this many ranks open a device each: where they share a machine's cores and memory, each
   * gets its part.
   */
  default ComputeBackend sharedBy(int ranks) {
    return this;
  }

  /** How the devices of this backend, as configured, account for memory. Opens nothing. */
  MemoryProfile memoryProfile();

  /**
   * Opens a device and reserves its workspace.
   *
   * @param ordinal a device of {@link #devices()}
   * @param ledger where every byte is booked
   * @throws io.hirundo.DeviceException when the device cannot be used
   */
  Device open(int ordinal, DeviceLedger ledger);
}
