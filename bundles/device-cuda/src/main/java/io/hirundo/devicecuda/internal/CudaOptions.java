package io.hirundo.devicecuda.internal;

import io.hirundo.strategy.Setting;

/** Options of the device {@code cuda}. */
public record CudaOptions(
    @Setting("folder of the CUDA toolkit, or of the package that holds libnvrtc; where it is not there, the loader looks")
        String toolkit,
    @Setting("folder that keeps compiled kernels from run to run; \"\" for the one of the hirundo script") String kernelCache) {
  public CudaOptions() {
    this("/usr/local/cuda", "");
  }
}
