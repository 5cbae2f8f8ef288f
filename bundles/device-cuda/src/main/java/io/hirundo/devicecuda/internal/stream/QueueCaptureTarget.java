package io.hirundo.devicecuda.internal.stream;

import io.hirundo.devicecuda.internal.graph.Call;
import io.hirundo.devicecuda.internal.graph.CaptureTarget;
import io.hirundo.devicecuda.internal.memory.DeviceMemory;
import io.hirundo.devicecuda.internal.memory.FixedMemory;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/** A queue's stream and memory for one captured work. */
final class QueueCaptureTarget implements CaptureTarget {
    private final CudaQueue queue;
    private final DeviceMemory device;
    private final Function<List<Call>, Graph> graphs;
    private FixedMemory memory;

    /** {@code graphs}: creates a graph of calls. */
    QueueCaptureTarget(CudaQueue queue, DeviceMemory device, Function<List<Call>, Graph> graphs) {
        this.queue = queue;
        this.device = device;
        this.graphs = graphs;
    }

    /** Null until it is allocated. */
    FixedMemory memory() {
        return memory;
    }

    @Override
    public void submit(Call call) {
        queue.submit(call);
    }

    @Override
    public boolean isTimed() {
        return queue.isTimed();
    }

    @Override
    public boolean reserve(long bytes) {
        Optional<FixedMemory> taken = device.takeFixed(bytes, queue);
        memory = taken.orElse(null);
        return taken.isPresent();
    }

    @Override
    public boolean hold() {
        return device.hold(memory);
    }

    @Override
    public boolean isEmpty() {
        return device.isEmpty(memory);
    }

    @Override
    public void letGo() {
        device.letGo(memory);
    }

    @Override
    public void release() {
        device.release(memory);
        memory = null;
    }

    @Override
    public Graph graph(List<Call> calls) {
        return graphs.apply(calls);
    }
}
