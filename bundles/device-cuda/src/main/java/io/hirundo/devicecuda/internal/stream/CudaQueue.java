package io.hirundo.devicecuda.internal.stream;

import io.hirundo.device.Event;
import io.hirundo.device.Queue;
import io.hirundo.device.Repetition;
import io.hirundo.devicecuda.internal.driver.Context;
import io.hirundo.devicecuda.internal.driver.CudaGraph;
import io.hirundo.devicecuda.internal.driver.DirectCalls;
import io.hirundo.devicecuda.internal.driver.Handles;
import io.hirundo.devicecuda.internal.driver.KernelModule;
import io.hirundo.devicecuda.internal.driver.Result;
import io.hirundo.devicecuda.internal.event.CudaEvent;
import io.hirundo.devicecuda.internal.event.EventPool;
import io.hirundo.devicecuda.internal.graph.Allocation;
import io.hirundo.devicecuda.internal.graph.Call;
import io.hirundo.devicecuda.internal.memory.DeviceMemory;
import io.hirundo.devicecuda.internal.memory.FixedMemory;
import io.hirundo.devicecuda.internal.memory.MemoryQueue;
import java.util.Optional;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;
import jcuda.driver.CUstream_flags;
import jcuda.driver.JCudaDriver;

/** A queue on a CUDA stream. Closing it waits for its work. */
public final class CudaQueue implements Queue, MemoryQueue {
    private final Context context;
    private final DeviceMemory home;
    private final EventPool events;
    private final KernelClock clock;
    private final Consumer<CudaQueue> onClose;
    private final Handles.Stream stream = new Handles.Stream();
    private final Launch launch;
    private final Optional<QueueGraphs> repetitions;
    private volatile boolean closed;

    /**
     * @param home memory of the queue's device
     * @param graphs counts graph launches; empty without CUDA graphs
     */
    public CudaQueue(
            Context context,
            DirectCalls calls,
            DeviceMemory home,
            EventPool events,
            KernelClock clock,
            Optional<LongAdder> graphs,
            Consumer<CudaQueue> onClose) {
        this.context = context;
        this.home = home;
        this.events = events;
        this.clock = clock;
        this.onClose = onClose;
        this.launch = new Launch(calls, this);
        this.repetitions = graphs.map(launches -> new QueueGraphs(context, this, home, launches));
        context.makeCurrent();
        Result.check("cuStreamCreate", JCudaDriver.cuStreamCreate(stream, CUstream_flags.CU_STREAM_NON_BLOCKING));
    }

    /** Checks a queue that was passed to a kernel. */
    public static CudaQueue of(Queue queue) {
        if (!(queue instanceof CudaQueue cuda)) {
            throw new IllegalArgumentException("queue is "
                    + (queue == null
                            ? "null"
                            : "one of another device: " + queue.getClass().getName()));
        }
        if (cuda.closed) {
            throw new IllegalStateException("the queue was used after it was closed");
        }
        return cuda;
    }

    /** Starts a launch of a kernel, which {@link Launch#run} completes. */
    public Launch launch(KernelModule module, String kernel) {
        return launch.begin(module.function(kernel));
    }

    /** Takes a call, which is submitted now or together with later calls. */
    public synchronized void call(Call.Asked call) {
        if (!repetitions.map(it -> it.call(call)).orElse(false)) {
            submit(call);
        }
    }

    /** Submits a call to the stream, with timing if requested. */
    void submit(Call call) {
        context.makeCurrent();
        clock.submit(call, this, stream);
    }

    @Override
    public synchronized Handles.Stream stream() {
        repetitions.ifPresent(QueueGraphs::cut);
        return stream;
    }

    @Override
    public boolean isOf(DeviceMemory memory) {
        return memory == home;
    }

    /** Whether kernels are timed. */
    boolean isTimed() {
        return clock.isRunning();
    }

    /** Launches a graph in place of its calls. */
    void launch(CudaGraph graph) {
        graph.launch(stream);
    }

    @Override
    public synchronized FixedMemory.Place takeRepeated(long bytes) {
        return repetitions.map(it -> it.take(bytes)).orElse(null);
    }

    @Override
    public synchronized void giveRepeated(Allocation take, boolean alone) {
        repetitions.ifPresent(it -> it.give(take, alone));
    }

    @Override
    public Repetition repetition(String work) {
        return repetitions.map(it -> it.begin(work)).orElse(Repetition.UNUSED);
    }

    @Override
    public synchronized boolean whileOpen(Consumer<Handles.Stream> something) {
        if (!closed) {
            something.accept(stream());
        }
        return !closed;
    }

    @Override
    public synchronized CudaEvent mark() {
        return closed ? null : events.mark(stream());
    }

    @Override
    public synchronized boolean isPast(CudaEvent mark) {
        return closed || mark.hasHappened();
    }

    @Override
    public synchronized void blocks(MemoryQueue other, CudaEvent mark) {
        if (!closed) {
            other.waitFor(mark);
        }
    }

    @Override
    public void waitFor(CudaEvent mark) {
        // Without stream(), because calls that are held back may wait too.
        makeCurrent();
        mark.blocks(stream);
    }

    @Override
    public synchronized void awaitEnd(CudaEvent mark) {
        if (!closed) {
            mark.await();
        }
    }

    @Override
    public void forget(CudaEvent mark) {
        events.forget(mark);
    }

    @Override
    public void makeCurrent() {
        context.makeCurrent();
    }

    @Override
    public Event record() {
        return events.record(stream());
    }

    @Override
    public void await(Event event) {
        // Flush before the host waits: the event may depend on these calls, and the GPU has work meanwhile.
        Handles.Stream waiting = stream();
        if (event instanceof CudaEvent cuda && cuda.isOf(events)) {
            context.makeCurrent();
            cuda.blocks(waiting);
        } else {
            event.await();
        }
    }

    @Override
    public void drain() {
        Handles.Stream drained = stream();
        context.makeCurrent();
        Result.check("the work of a queue", JCudaDriver.cuStreamSynchronize(drained));
    }

    @Override
    public void close() {
        // Needs the memory's lock, which must be acquired before the queue's lock.
        try {
            repetitions.ifPresent(QueueGraphs::close);
        } finally {
            closeStream();
        }
    }

    private synchronized void closeStream() {
        if (!closed) {
            try {
                drain();
            } finally {
                closed = true;
                onClose.accept(this);
                context.makeCurrent();
                Result.check("cuStreamDestroy", JCudaDriver.cuStreamDestroy(stream));
            }
        }
    }
}
