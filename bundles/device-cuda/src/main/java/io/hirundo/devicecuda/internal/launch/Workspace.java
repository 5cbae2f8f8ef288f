package io.hirundo.devicecuda.internal.launch;

import io.hirundo.device.Queue;
import io.hirundo.devicecuda.internal.memory.DeviceMemory;
import io.hirundo.devicecuda.internal.stream.CudaQueue;
import java.util.function.LongConsumer;

/** Scratch memory of a device's kernels, shared by its queues one after the other. Thread-safe. */
public final class Workspace {
    /** A double for each of half a million tokens or blocks. */
    public static final long BYTES = 4L << 20;

    private final DeviceMemory.Grant grant;

    public Workspace(DeviceMemory.Grant grant) {
        this.grant = grant;
    }

    /**
     * Runs launches that use the memory exclusively.
     *
     * @param launches receives the address
     */
    public synchronized void use(Queue queue, LongConsumer launches) {
        grant.hand(CudaQueue.of(queue));
        launches.accept(grant.address());
    }
}
