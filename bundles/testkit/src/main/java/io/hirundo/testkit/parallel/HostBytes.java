package io.hirundo.testkit.parallel;

import io.hirundo.device.Device;
import io.hirundo.device.Queue;
import io.hirundo.tensor.Tensor;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;

/** The stored bytes of tensors of any dtype, on the host. */
final class HostBytes {
    private HostBytes() {}

    static byte[] read(Device device, Queue queue, Tensor tensor) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment host = arena.allocate(Math.max(1, tensor.byteSize()), 8);
            device.transfer().download(queue, tensor, host);
            queue.drain();
            return host.asSlice(0, tensor.byteSize()).toArray(ValueLayout.JAVA_BYTE);
        }
    }

    static void write(Device device, Queue queue, byte[] bytes, Tensor tensor) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment host = arena.allocate(Math.max(1, bytes.length), 8);
            host.asSlice(0, bytes.length).copyFrom(MemorySegment.ofArray(bytes));
            device.transfer().upload(queue, host, tensor);
            queue.drain();
        }
    }

    /** All bits of an element set are a NaN in every floating dtype. */
    static void fillWithNan(Device device, Queue queue, Tensor tensor) {
        var bytes = new byte[Math.toIntExact(tensor.byteSize())];
        Arrays.fill(bytes, (byte) 0xff);
        write(device, queue, bytes, tensor);
    }
}
