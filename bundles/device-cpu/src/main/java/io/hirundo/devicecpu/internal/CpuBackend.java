package io.hirundo.devicecpu.internal;

import io.hirundo.DeviceException;
import io.hirundo.device.ComputeBackend;
import io.hirundo.device.Device;
import io.hirundo.device.DeviceInfo;
import io.hirundo.device.DeviceLedger;
import io.hirundo.device.MemoryProfile;
import java.util.List;

/** The processors of this machine, all of them as one device. It may be opened several times, once for each rank of a JVM. */
public final class CpuBackend implements ComputeBackend {
  /** Of every allocation: a cache line, which is also the widest vector. */
  static final long ALIGNMENT_BYTES = 64;

  /** Of every worker; see the kernels' use of {@link Scratch}. */
  static final long SCRATCH_BYTES = 2L << 20;

  /** For what all workers share: a matrix product's packed operand. */
  static final long SHARED_BYTES = 8L << 20;

  private final CpuOptions options;

  public CpuBackend(CpuOptions options) {
    this.options = options;
  }

  @Override
  public List<DeviceInfo> devices() {
    return List.of(Machine.describe());
  }

  @Override
  public MemoryProfile memoryProfile() {
    return new MemoryProfile("cpu", ALIGNMENT_BYTES, options.workerCount() * SCRATCH_BYTES + SHARED_BYTES);
  }

  @Override
  public Device open(int ordinal, DeviceLedger ledger) {
    if (ordinal != 0) {
      throw new DeviceException("device cpu has no ordinal " + ordinal + ": a machine's processors are one device, ordinal 0");
    }
    return new CpuDevice(Machine.describe(), memoryProfile(), options, ledger, ChunkSource.nativeHeap());
  }
}
