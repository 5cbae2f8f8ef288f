package io.hirundo.devicecuda.internal.launch;

import io.hirundo.DeviceException;
import io.hirundo.device.MemoryCategory;
import io.hirundo.device.Queue;
import io.hirundo.devicecuda.internal.memory.DeviceMemory;
import io.hirundo.devicecuda.internal.stream.CudaQueue;
import java.util.function.LongConsumer;

/** Memory that kernels allocate for one call, accounted as workspace during the launch. Thread-safe. */
public final class CallMemory {
    private final DeviceMemory memory;

    public CallMemory(DeviceMemory memory) {
        this.memory = memory;
    }

    /**
     * Runs launches that use the memory. It is freed in stream order, without a wait on the host.
     *
     * @param what purpose, for messages
     * @param launches receives the address
     */
    public void use(Queue queue, String what, long bytes, LongConsumer launches) {
        DeviceMemory.Grant grant;
        try {
            grant = memory.take(MemoryCategory.WORKSPACE, bytes);
        } catch (DeviceException e) {
            throw new DeviceException(
                    "no memory for " + what + " (" + MemoryCategory.WORKSPACE + "): " + e.getMessage(), e);
        }
        try {
            grant.use(CudaQueue.of(queue));
            launches.accept(grant.address());
        } finally {
            grant.giveBack();
        }
    }
}
