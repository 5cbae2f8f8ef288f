package io.hirundo.devicecuda.internal.driver;

import jcuda.driver.CUdeviceptr;
import jcuda.driver.CUfunction;
import jcuda.driver.CUfunction_attribute;
import jcuda.driver.CUstream;
import jcuda.driver.JCudaDriver;

/** JCuda's handles, which keep their address to themselves, with their address: direct calls need it. */
public final class Handles {
  private Handles() {}

  /** A stream. */
  public static final class Stream extends CUstream {
    public long address() {
      return getNativePointer();
    }
  }

  /** A kernel, which its {@code toString} names, and the bytes of dynamic shared memory that the driver was told to allow it. */
  public static final class Function extends CUfunction {
    private final String name;
    private int sharedBytes = 48 << 10;

    Function(String name) {
      this.name = name;
    }

    @Override
    public String toString() {
      return name;
    }

    /** Allows it as many; at most 227 KiB. */
    void allow(int bytes) {
      if (bytes > sharedBytes) {
        Result.check(
            "cuFuncSetAttribute",
            JCudaDriver.cuFuncSetAttribute(this, CUfunction_attribute.CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, bytes));
        sharedBytes = bytes;
      }
    }

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
