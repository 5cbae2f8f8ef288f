package io.hirundo.devicecuda.internal.driver;

import io.hirundo.device.DeviceInfo;
import java.util.List;
import jcuda.driver.CUdevice;
import jcuda.driver.JCudaDriver;

/**
 * A GPU.
 *
 * @param info its ordinal counts Hopper GPUs only
 * @param cudaOrdinal ordinal in the driver
 * @param multiprocessors number of multiprocessors, and so of blocks that certainly run concurrently
 */
public record Gpu(DeviceInfo info, int cudaOrdinal, int multiprocessors) {
    /** Whether every GPU has peer access to every other. */
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

    /** Opens its primary context. */
    public Context open() {
        return new Context(cudaOrdinal, this);
    }
}
