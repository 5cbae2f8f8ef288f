package io.hirundo.devicecuda.internal;

import io.hirundo.DeviceException;
import io.hirundo.device.ComputeBackend;
import io.hirundo.device.Device;
import io.hirundo.device.DeviceInfo;
import io.hirundo.device.DeviceLedger;
import io.hirundo.device.MemoryProfile;
import io.hirundo.devicecuda.internal.driver.Driver;
import io.hirundo.devicecuda.internal.driver.KernelCompiler;
import java.util.List;

/** The Hopper GPUs of this machine. Ranks of a process that are more than the GPUs share them, and their memory. */
final class CudaBackend implements ComputeBackend {
  /** What the driver's memory pools round to. */
  private static final long ALIGNMENT_BYTES = 512;

  private final Installation installation;
  private final CudaOptions options;
  private final int ranks;

  CudaBackend(Installation installation, CudaOptions options, int ranks) {
    this.installation = installation;
    this.options = options;
    this.ranks = ranks;
  }

  @Override
  public List<DeviceInfo> devices() {
    return gpus().stream().map(gpu -> part(gpu.info())).toList();
  }

  /** A rank's part of a GPU. */
  private DeviceInfo part(DeviceInfo whole) {
    int sharing = Math.ceilDiv(ranks, gpus().size());
    return new DeviceInfo(whole.backend(), whole.ordinal(), whole.name(), whole.arch(), whole.memoryBytes() / sharing);
  }

  /** Ranks of a process, who read each other's tensors, have one GPU: GPUs of a process do not see each other's memory yet. */
  private List<Driver.Gpu> gpus() {
    List<Driver.Gpu> all = installation.driver().map(Driver::hopper).orElse(List.of());
    return ranks > 1 && all.size() > 1 ? all.subList(0, 1) : all;
  }

  @Override
  public ComputeBackend sharedBy(int ranks) {
    if (ranks < 1) {
      throw new IllegalArgumentException("a device is shared by 1 rank or more, not " + ranks);
    }
    return new CudaBackend(installation, options, ranks);
  }

  @Override
  public MemoryProfile memoryProfile() {
    return new MemoryProfile("cuda", ALIGNMENT_BYTES, Workspace.BYTES);
  }

  @Override
  public Device open(int ordinal, DeviceLedger ledger) {
    List<Driver.Gpu> gpus = gpus();
    if (gpus.isEmpty()) {
      throw new DeviceException("there is no device cuda: " + installation.reason());
    }
    if (ordinal < 0 || ordinal >= gpus.size()) {
      throw new DeviceException("device cuda has no ordinal " + ordinal + ": this machine's are 0 to " + (gpus.size() - 1));
    }
    Driver driver = installation.driver().orElseThrow();
    var compiler = new KernelCompiler(installation.nvrtc(options, driver), driver.version(), installation.cache(options));
    Driver.Gpu gpu = gpus.get(ordinal);
    return CudaDevice.open(driver, new Driver.Gpu(part(gpu.info()), gpu.cudaOrdinal()), memoryProfile(), ledger, compiler);
  }
}
