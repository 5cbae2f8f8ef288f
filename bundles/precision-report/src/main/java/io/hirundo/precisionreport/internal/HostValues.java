package io.hirundo.precisionreport.internal;

import io.hirundo.device.Device;
import io.hirundo.device.Queue;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Tensor;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** Copies tensors' values from the device. */
final class HostValues {
    private HostValues() {}

    /** Values of an FP32 or BF16 tensor; waits for the queue. */
    static float[] read(Device device, Queue queue, Tensor tensor) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment host = arena.allocate(tensor.byteSize(), 64);
            device.transfer().download(queue, tensor, host);
            queue.drain();
            if (tensor.dtype() == DType.FP32) {
                return host.toArray(ValueLayout.JAVA_FLOAT);
            }
            var values = new float[Math.toIntExact(tensor.elements())];
            for (int index = 0; index < values.length; index++) {
                values[index] = Float.intBitsToFloat(host.getAtIndex(ValueLayout.JAVA_SHORT, index) << 16);
            }
            return values;
        }
    }
}
