package io.hirundo.devicecpu.internal;

import io.hirundo.DeviceException;
import io.hirundo.device.ComputeBackend;
import io.hirundo.device.Device;
import io.hirundo.device.DeviceInfo;
import io.hirundo.device.DeviceLedger;
import io.hirundo.device.MemoryProfile;
import io.hirundo.devicecpu.internal.memory.ChunkSource;
import io.hirundo.devicecpu.internal.memory.Memory;
import io.hirundo.devicecpu.internal.threads.Scratch;
import java.util.List;

/**
 * The processors of this machine, all of them as one device. It may be opened several times, once for each rank of a JVM:
 * {@link #sharedBy} then gives each rank its part of the memory, and of the cores where the options leave them open.
 */
public final class CpuBackend implements ComputeBackend {
  /** For what all workers share: a GEMM's packed operand. */
  static final long SHARED_BYTES = 8L << 20;

  private final CpuOptions options;
  private final int ranks;

  public CpuBackend(CpuOptions options) {
    this(options, 1);
  }

  private CpuBackend(CpuOptions options, int ranks) {
    this.options = options;
    this.ranks = ranks;
  }

  @Override
  public List<DeviceInfo> devices() {
    DeviceInfo machine = Machine.describe();
    return List.of(
        new DeviceInfo(
            machine.backend(), machine.ordinal(), machine.name(), machine.arch(), machine.memoryBytes() / ranks));
  }

  /** The number of ranks replaces an earlier one: of a backend that is shared already, too, it is all that open a device. */
  @Override
  public ComputeBackend sharedBy(int ranks) {
    if (ranks < 1) {
      throw new IllegalArgumentException("a device is shared by 1 rank or more, not " + ranks);
    }
    return new CpuBackend(options, ranks);
  }

  @Override
  public MemoryProfile memoryProfile() {
    return new MemoryProfile("cpu", Memory.ALIGNMENT_BYTES, options.workerCount(ranks) * Scratch.WORKER_BYTES + SHARED_BYTES);
  }

  @Override
  public Device open(int ordinal, DeviceLedger ledger) {
    if (ordinal != 0) {
      throw new DeviceException("device cpu has no ordinal " + ordinal + ": a machine's processors are one device, ordinal 0");
    }
    CpuOptions ofRank = new CpuOptions(options.workerCount(ranks), options.kernels());
    return new CpuDevice(devices().getFirst(), memoryProfile(), ofRank, ledger, ChunkSource.nativeHeap());
  }
}
