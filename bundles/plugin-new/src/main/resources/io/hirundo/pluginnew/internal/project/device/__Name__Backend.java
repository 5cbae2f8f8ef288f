package __package__;

import io.hirundo.device.ComputeBackend;
import io.hirundo.device.Device;
import io.hirundo.device.DeviceInfo;
import io.hirundo.device.DeviceLedger;
import io.hirundo.device.MemoryProfile;
import java.util.List;

/**
 * The devices of another backend under a name of their own, with matrix products that are yours ({@link __Name__Gemm}). A device
 * has some forty kernels, memory, queues and transfers; this way each can be replaced when its turn comes, and a training works
 * from the first day on.
 */
record __Name__Backend(ComputeBackend base) implements ComputeBackend {
  /** The name that {@link __Name__Factory} offers. */
  static final String NAME = "__name__";

  @Override
  public List<DeviceInfo> devices() {
    return base.devices().stream().map(__Name__Backend::named).toList();
  }

  static DeviceInfo named(DeviceInfo info) {
    return new DeviceInfo(NAME, info.ordinal(), info.name(), info.arch(), info.memoryBytes());
  }

  @Override
  public ComputeBackend sharedBy(int ranks) {
    return new __Name__Backend(base.sharedBy(ranks));
  }

  /** How requests become bytes: what {@code hirundo plan} counts with. To be changed with {@link __Name__Device#allocate}. */
  @Override
  public MemoryProfile memoryProfile() {
    return base.memoryProfile();
  }

  @Override
  public Device open(int ordinal, DeviceLedger ledger) {
    return new __Name__Device(base.open(ordinal, ledger));
  }
}
