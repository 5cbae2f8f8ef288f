package io.hirundo.devicecuda.internal.driver;

import jcuda.driver.CUdeviceptr;
import jcuda.driver.CUfunction;
import jcuda.driver.CUfunction_attribute;
import jcuda.driver.CUstream;
import jcuda.driver.JCudaDriver;

/** JCuda's handles with access to their addresses, which direct calls need. */
public final class Handles {
    private Handles() {}

    /** A stream. */
    public static final class Stream extends CUstream {
        public long address() {
            return getNativePointer();
        }
    }

    /** A kernel with its name and its allowed dynamic shared memory. */
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

        /** Allows this much dynamic shared memory, at most 227 KiB. */
        void allow(int bytes) {
            if (bytes > sharedBytes) {
                Result.check(
                        "cuFuncSetAttribute",
                        JCudaDriver.cuFuncSetAttribute(
                                this, CUfunction_attribute.CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, bytes));
                sharedBytes = bytes;
            }
        }

        public long address() {
            return getNativePointer();
        }
    }

    /** Device memory. */
    public static final class Memory extends CUdeviceptr {
        public long address() {
            return getNativePointer();
        }
    }
}
