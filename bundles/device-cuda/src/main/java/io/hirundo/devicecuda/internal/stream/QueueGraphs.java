package io.hirundo.devicecuda.internal.stream;

import io.hirundo.device.Repetition;
import io.hirundo.devicecuda.internal.driver.Context;
import io.hirundo.devicecuda.internal.driver.CudaGraph;
import io.hirundo.devicecuda.internal.driver.Handles;
import io.hirundo.devicecuda.internal.driver.Result;
import io.hirundo.devicecuda.internal.graph.Allocation;
import io.hirundo.devicecuda.internal.graph.Call;
import io.hirundo.devicecuda.internal.graph.CaptureTarget;
import io.hirundo.devicecuda.internal.graph.CapturedWork;
import io.hirundo.devicecuda.internal.graph.Pass;
import io.hirundo.devicecuda.internal.memory.DeviceMemory;
import io.hirundo.devicecuda.internal.memory.FixedMemory;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;
import jcuda.driver.CUstream_flags;
import jcuda.driver.JCudaDriver;

/** The captured work of a queue by name. Guarded by the queue, except begin and end of work. */
final class QueueGraphs implements AutoCloseable {
    /** Captured work of a name. */
    private record Known(CapturedWork work, QueueCaptureTarget outlet) {}

    /** One pass of the work; {@code pass}: null if it is not observed. */
    private final class Time implements Repetition {
        private final Known known;
        private final Pass pass;

        Time(Known known, Pass pass) {
            this.known = known;
            this.pass = pass;
        }

        @Override
        public void close() {
            if (current != this) {
                return;
            }
            try {
                synchronized (queue) {
                    current = null;
                    if (pass != null) {
                        pass.end();
                    }
                }
            } finally {
                if (pass != null) {
                    known.work.conclude(pass);
                }
            }
        }
    }

    private final Context context;
    private final CudaQueue queue;
    private final DeviceMemory memory;
    private final LongAdder launches;
    private final Map<String, Known> known = new HashMap<>();
    /** A stream for captures only; null before the first graph. */
    private Handles.Stream capturing;
    /** The current pass; null for none. */
    private Time current;

    /** {@code launches}: counts graph launches. */
    QueueGraphs(Context context, CudaQueue queue, DeviceMemory memory, LongAdder launches) {
        this.context = context;
        this.queue = queue;
        this.memory = memory;
        this.launches = launches;
    }

    /** See {@link CudaQueue#repetition}. To be called on the queue's thread. */
    Repetition begin(String name) {
        if (current != null) {
            throw new IllegalStateException(
                    "work " + name + " was begun while its queue was at other work that comes again");
        }
        Known next = known.computeIfAbsent(name, this::unknown);
        // May wait for the device's memory lock, which comes before the queue's lock.
        var begun = new Time(next, next.work.begin());
        synchronized (queue) {
            current = begun;
        }
        return begun;
    }

    private Known unknown(String name) {
        var outlet = new QueueCaptureTarget(queue, memory, this::graph);
        return new Known(new CapturedWork(name, outlet), outlet);
    }

    /** Takes a call; false if it must be submitted to the stream. */
    boolean call(Call.Asked call) {
        Pass pass = pass();
        if (pass == null) {
            return false;
        }
        pass.call(call);
        return true;
    }

    private Pass pass() {
        return current == null ? null : current.pass;
    }

    /** Flushes all calls to the stream. */
    void cut() {
        Pass pass = pass();
        if (pass != null) {
            pass.cut();
        }
    }

    /** Allocates memory; null outside of captured work. */
    FixedMemory.Place take(long bytes) {
        Pass pass = pass();
        return pass == null ? null : new FixedMemory.Place(current.known.outlet.memory(), pass.take(bytes));
    }

    /** Frees memory. {@code alone}: whether no other queue has used it. */
    void give(Allocation take, boolean alone) {
        Pass pass = pass();
        if (take.pass() == pass) {
            pass.give(take, alone);
        }
    }

    /** Creates a graph as {@link CaptureTarget} requires. */
    private CaptureTarget.Graph graph(List<Call> calls) {
        CudaGraph graph = capture(calls);
        return new CaptureTarget.Graph() {
            @Override
            public void launch() {
                queue.launch(graph);
                launches.increment();
            }

            @Override
            public void close() {
                graph.close();
            }
        };
    }

    private CudaGraph capture(List<Call> calls) {
        if (capturing == null) {
            context.makeCurrent();
            var stream = new Handles.Stream();
            Result.check("cuStreamCreate", JCudaDriver.cuStreamCreate(stream, CUstream_flags.CU_STREAM_NON_BLOCKING));
            capturing = stream;
        }
        return CudaGraph.capture(context, capturing, stream -> calls.forEach(call -> call.submit(stream)));
    }

    @Override
    public void close() {
        try {
            if (current != null) {
                current.close();
            }
        } finally {
            known.values().forEach(it -> it.work.close());
            known.clear();
            if (capturing != null) {
                context.makeCurrent();
                Result.check("cuStreamDestroy", JCudaDriver.cuStreamDestroy(capturing));
                capturing = null;
            }
        }
    }
}
