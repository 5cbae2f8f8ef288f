package io.hirundo.devicecuda.internal.driver;

import java.util.function.Supplier;
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
  private final Object turn;
  private boolean closed;

  /** Of a GPU that this process has no other of. */
  public Context(int cudaOrdinal) {
    this(cudaOrdinal, new Object());
  }

  /** {@code turn}: the same for all of a GPU, which have its primary context together. */
  Context(int cudaOrdinal, Object turn) {
    this.turn = turn;
    Result.check("cuDeviceGet", JCudaDriver.cuDeviceGet(device, cudaOrdinal));
    Result.check("cuDevicePrimaryCtxRetain", JCudaDriver.cuDevicePrimaryCtxRetain(context, device));
  }

  /** Of the calling thread; cheap where it is already. */
  public void makeCurrent() {
    Result.check("cuCtxSetCurrent", JCudaDriver.cuCtxSetCurrent(context));
  }

  /** Waits for all work on this GPU. */
  public void synchronize() {
    synchronized (turn) {
      makeCurrent();
      Result.check("cuCtxSynchronize", JCudaDriver.cuCtxSynchronize());
    }
  }

  /** Does something while nobody waits for all work on this GPU: that would spoil what a stream captures. */
  <T> T withoutWaits(Supplier<T> something) {
    synchronized (turn) {
      makeCurrent();
      return something.get();
    }
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
