package io.hirundo.devicecuda.internal.driver;

import io.hirundo.device.DeviceInfo;
import java.util.List;
import jcuda.driver.CUdevice;
import jcuda.driver.JCudaDriver;

/**
 * A GPU.
 *
 * @param info its ordinal counts the Hopper GPUs
 * @param cudaOrdinal its number as the driver counts
 * @param multiprocessors blocks that certainly work at the same time
 */
public record Gpu(DeviceInfo info, int cudaOrdinal, int multiprocessors) {
  /** Whether kernels of each can read and write the memory of every other. */
  public static boolean seeEachOther(List<Gpu> gpus) {
    return gpus.stream().allMatch(from -> gpus.stream().allMatch(to -> from.equals(to) || from.sees(to)));
  }

  private boolean sees(Gpu other) {
    int[] can = new int[1];
    Result.check("cuDeviceCanAccessPeer", JCudaDriver.cuDeviceCanAccessPeer(can, device(), other.device()));
    return can[0] != 0;
  }

  private CUdevice device() {
    var device = new CUdevice();
    Result.check("cuDeviceGet", JCudaDriver.cuDeviceGet(device, cudaOrdinal));
    return device;
  }

  /** Its primary context. */
  public Context open() {
    return new Context(cudaOrdinal, this);
  }
}
