package io.hirundo.devicecuda.internal.driver;

import java.util.function.Supplier;
import jcuda.driver.CUcontext;
import jcuda.driver.CUdevice;
import jcuda.driver.JCudaDriver;

/**
 * The primary context of a GPU, retained until it is closed. Every caller of the driver makes it current first, because ranks and
 * collectives have threads of their own; after its last lock or wait, so that a virtual thread of a plugin may call too.
 */
public final class Context implements AutoCloseable {
    private final CUdevice device = new CUdevice();
    private final CUcontext context = new CUcontext();
    private final Object turn;
    private boolean closed;

    /** The context of a GPU that this process opens once. */
    public Context(int cudaOrdinal) {
        this(cudaOrdinal, new Object());
    }

    /** {@code turn}: a lock shared by all users of the GPU's primary context. */
    Context(int cudaOrdinal, Object turn) {
        this.turn = turn;
        Result.check("cuDeviceGet", JCudaDriver.cuDeviceGet(device, cudaOrdinal));
        Result.check("cuDevicePrimaryCtxRetain", JCudaDriver.cuDevicePrimaryCtxRetain(context, device));
    }

    /** Makes the context current for the calling thread; cheap if it already is. */
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

    /** Runs something while no thread synchronizes the GPU, which would invalidate a stream capture. */
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
