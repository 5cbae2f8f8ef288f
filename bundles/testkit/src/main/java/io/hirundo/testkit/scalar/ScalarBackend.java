package io.hirundo.testkit.scalar;

import io.hirundo.DeviceException;
import io.hirundo.device.ComputeBackend;
import io.hirundo.device.Device;
import io.hirundo.device.DeviceInfo;
import io.hirundo.device.DeviceLedger;
import io.hirundo.device.MemoryProfile;
import java.util.List;

/** A scalar device in host memory: what contracts need of a device, without optimizations. Thread-safe. */
public final class ScalarBackend implements ComputeBackend {
  static final MemoryProfile PROFILE = new MemoryProfile("testkit", 64, 0);
  static final DeviceInfo INFO = new DeviceInfo("testkit", 0, "plain loops", "Java", Long.MAX_VALUE);

  @Override
  public List<DeviceInfo> devices() {
    return List.of(INFO);
  }

  @Override
  public MemoryProfile memoryProfile() {
    return PROFILE;
  }

  @Override
  public Device open(int ordinal, DeviceLedger ledger) {
    if (ordinal != 0) {
      throw new DeviceException("the testkit has one device, 0, and not " + ordinal);
    }
    return new ScalarDevice(ledger);
  }
}
