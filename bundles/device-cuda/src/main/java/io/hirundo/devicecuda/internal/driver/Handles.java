package io.hirundo.devicecuda.internal.driver;

import jcuda.driver.CUdeviceptr;
import jcuda.driver.CUfunction;
import jcuda.driver.CUstream;

/** JCuda's handles, which keep their address to themselves, with their address: direct calls need it. */
public final class Handles {
  private Handles() {}

  /** A stream. */
  public static final class Stream extends CUstream {
    public long address() {
      return getNativePointer();
    }
  }

  /** A kernel. */
  public static final class Function extends CUfunction {
    public long address() {
      return getNativePointer();
    }
  }

  /** Memory of the device. */
  public static final class Memory extends CUdeviceptr {
    public long address() {
      return getNativePointer();
    }
  }
}
