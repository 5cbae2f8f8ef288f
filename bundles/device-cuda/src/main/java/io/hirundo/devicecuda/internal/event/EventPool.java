package io.hirundo.devicecuda.internal.event;

import io.hirundo.devicecuda.internal.driver.Context;
import io.hirundo.devicecuda.internal.driver.Handles;
import io.hirundo.devicecuda.internal.driver.Result;
import java.lang.ref.Cleaner;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import jcuda.driver.CUevent;
import jcuda.driver.CUevent_flags;
import jcuda.driver.JCudaDriver;

/** A device's events. The API never closes events, so their handles are reused when the objects become unreachable. Thread-safe. */
public final class EventPool implements AutoCloseable {
    private final Context context;
    private final int flags;
    private final Cleaner cleaner = Cleaner.create();
    private final Queue<CUevent> unused = new ConcurrentLinkedQueue<>();
    private final List<CUevent> all = new ArrayList<>();
    private volatile boolean closed;

    private EventPool(Context context, int flags) {
        this.context = context;
        this.flags = flags;
    }

    /** A pool of events without time, the cheapest kind. */
    public static EventPool untimed(Context context) {
        return new EventPool(context, CUevent_flags.CU_EVENT_DISABLE_TIMING);
    }

    /** A pool of events with time. */
    public static EventPool timed(Context context) {
        return new EventPool(context, CUevent_flags.CU_EVENT_DEFAULT);
    }

    /** Records an event behind the current work of a stream. */
    public CudaEvent record(Handles.Stream stream) {
        CudaEvent event = mark(stream);
        CUevent comesBack = event.handle();
        Queue<CUevent> to = unused;
        cleaner.register(event, () -> to.add(comesBack));
        return event;
    }

    /** As {@link #record}, for callers that release the event by {@link #forget}. */
    public CudaEvent mark(Handles.Stream stream) {
        CUevent handle = unused.poll();
        if (handle == null) {
            handle = create();
        }
        context.makeCurrent();
        Result.check("cuEventRecord", JCudaDriver.cuEventRecord(handle, stream));
        return new CudaEvent(this, handle);
    }

    /** Streams that already wait for it still do. */
    public void forget(CudaEvent mark) {
        unused.add(mark.handle());
    }

    private CUevent create() {
        context.makeCurrent();
        var handle = new CUevent();
        Result.check("cuEventCreate", JCudaDriver.cuEventCreate(handle, flags));
        synchronized (all) {
            all.add(handle);
        }
        return handle;
    }

    public void makeCurrent() {
        context.makeCurrent();
    }

    /** Whether the device is closed. Closing waits for all work, so every event has happened. */
    boolean isClosed() {
        return closed;
    }

    @Override
    public void close() {
        closed = true;
        synchronized (all) {
            context.makeCurrent();
            all.forEach(handle -> Result.check("cuEventDestroy", JCudaDriver.cuEventDestroy(handle)));
            all.clear();
        }
    }
}
