package io.hirundo.gpusuite.internal.bench;

import io.hirundo.device.Device;
import io.hirundo.device.MemoryCategory;
import io.hirundo.device.Queue;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Shape;
import io.hirundo.tensor.Tensor;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/** Copy rates: of the copy kernel, which reads and writes, and to and from pageable host memory. */
record CopyRates(double withinBytesPerSecond, double uploadBytesPerSecond, double downloadBytesPerSecond) {
    static CopyRates measure(Timing timing, Device device, long bytes) {
        Shape shape = Shape.of(bytes / Float.BYTES);
        try (Arena arena = Arena.ofConfined();
                Queue queue = device.newQueue("copies");
                Tensor from = device.allocate(MemoryCategory.WORKSPACE, shape, DType.FP32);
                Tensor to = device.allocate(MemoryCategory.WORKSPACE, shape, DType.FP32)) {
            MemorySegment host = arena.allocate(from.byteSize());
            device.kernels().elementwise().fill(queue, from, 1);
            double within = 2
                    * bytes
                    / timing.seconds(queue, () -> device.kernels().elementwise().copy(queue, from, to));
            double up = bytes / timing.seconds(queue, () -> device.transfer().upload(queue, host, to));
            double down = bytes / timing.seconds(queue, () -> device.transfer().download(queue, from, host));
            return new CopyRates(within, up, down);
        }
    }
}
