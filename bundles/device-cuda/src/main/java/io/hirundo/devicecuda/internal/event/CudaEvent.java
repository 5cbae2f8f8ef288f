package io.hirundo.devicecuda.internal.event;

import io.hirundo.device.Event;
import io.hirundo.devicecuda.internal.driver.Handles;
import io.hirundo.devicecuda.internal.driver.Result;
import java.lang.ref.Reference;
import jcuda.driver.CUevent;
import jcuda.driver.CUresult;
import jcuda.driver.JCudaDriver;

/** A CUDA event: a point in a stream's work. Thread-safe. */
public final class CudaEvent implements Event {
    private final EventPool pool;
    private final CUevent handle;
    private volatile boolean happened;

    CudaEvent(EventPool pool, CUevent handle) {
        this.pool = pool;
        this.handle = handle;
    }

    @Override
    public boolean hasHappened() {
        if (!happened && !pool.isClosed()) {
            pool.makeCurrent();
            try {
                int result = JCudaDriver.cuEventQuery(handle);
                if (result == CUresult.CUDA_ERROR_NOT_READY) {
                    return false;
                }
                Result.check("the work of a queue", result);
            } finally {
                // The pool reuses the handle as soon as this object is unreachable.
                Reference.reachabilityFence(this);
            }
        }
        happened = true;
        return true;
    }

    @Override
    public void await() {
        if (!happened && !pool.isClosed()) {
            pool.makeCurrent();
            try {
                Result.check("the work of a queue", JCudaDriver.cuEventSynchronize(handle));
            } finally {
                Reference.reachabilityFence(this);
            }
            happened = true;
        }
    }

    /** The time between two events of a timed pool that have happened. */
    public long nanosSince(CudaEvent earlier) {
        pool.makeCurrent();
        var milliseconds = new float[1];
        Result.check("cuEventElapsedTime", JCudaDriver.cuEventElapsedTime(milliseconds, earlier.handle, handle));
        return Math.round(milliseconds[0] * 1e6);
    }

    CUevent handle() {
        return handle;
    }

    public boolean isOf(EventPool other) {
        return pool == other;
    }

    /** Makes later work of the stream wait. The stream may belong to another device, whose context must be current. */
    public void blocks(Handles.Stream stream) {
        if (!happened) {
            try {
                Result.check("cuStreamWaitEvent", JCudaDriver.cuStreamWaitEvent(stream, handle, 0));
            } finally {
                Reference.reachabilityFence(this);
            }
        }
    }
}
