package io.hirundo.gpusuite.internal.part;

import io.hirundo.device.Device;
import io.hirundo.device.Queue;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Tensor;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** Copies tensors to the host for comparison. */
public final class HostCopy {
    private HostCopy() {}

    /** The values of an FP32 tensor; waits for the queue. */
    public static float[] of(Device device, Queue queue, Tensor tensor) {
        if (tensor.dtype() != DType.FP32) {
            throw new IllegalArgumentException("what is compared is FP32, not " + tensor.dtype());
        }
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment host = arena.allocate(tensor.byteSize(), Float.BYTES);
            device.transfer().download(queue, tensor, host);
            queue.drain();
            return host.toArray(ValueLayout.JAVA_FLOAT);
        }
    }
}
