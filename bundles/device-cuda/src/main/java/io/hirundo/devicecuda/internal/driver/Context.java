package io.hirundo.devicecuda.internal.driver;

import jcuda.driver.CUcontext;
import jcuda.driver.CUdevice;
import jcuda.driver.JCudaDriver;

/**
 * The primary context of a GPU, kept until it is closed. Whoever calls the driver makes it the thread's own first, after the last lock
 * or wait before the call: a virtual thread may go on from there on another thread of the system.
 */
public final class Context implements AutoCloseable {
  private final CUdevice device = new CUdevice();
  private final CUcontext context = new CUcontext();
  private boolean closed;

  public Context(int cudaOrdinal) {
    Result.check("cuDeviceGet", JCudaDriver.cuDeviceGet(device, cudaOrdinal));
    Result.check("cuDevicePrimaryCtxRetain", JCudaDriver.cuDevicePrimaryCtxRetain(context, device));
  }

  /** Of the calling thread; cheap where it is already. */
  public void makeCurrent() {
    Result.check("cuCtxSetCurrent", JCudaDriver.cuCtxSetCurrent(context));
  }

  /** Waits for all work on this GPU. */
  public void synchronize() {
    makeCurrent();
    Result.check("cuCtxSynchronize", JCudaDriver.cuCtxSynchronize());
  }

  @Override
  public void close() {
    if (closed) {
      return;
    }
    closed = true;
    Result.check("cuDevicePrimaryCtxRelease", JCudaDriver.cuDevicePrimaryCtxRelease(device));
  }
}
