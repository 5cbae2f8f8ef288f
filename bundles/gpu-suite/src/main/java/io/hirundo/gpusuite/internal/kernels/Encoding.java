package io.hirundo.gpusuite.internal.kernels;

import io.hirundo.device.Device;
import io.hirundo.device.MemoryCategory;
import io.hirundo.device.Queue;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Shape;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.function.LongToDoubleFunction;

/** Converts numbers to the bytes of a dtype and back, with the copy kernels of the reference device. */
final class Encoding implements AutoCloseable {
    private final Device reference;
    private final Queue queue;

    Encoding(Device reference) {
        this.reference = reference;
        queue = reference.newQueue("encoding");
    }

    byte[] encode(DType dtype, int count, LongToDoubleFunction value) {
        try (Arena arena = Arena.ofConfined()) {
            DType of = dtype == DType.INT32 ? DType.INT32 : DType.FP64;
            MemorySegment numbers = arena.allocate(Math.max(1, (long) count * of.byteSize()), Double.BYTES);
            var values = new double[count];
            for (int i = 0; i < count; i++) {
                values[i] = value.applyAsDouble(i);
                if (of == DType.INT32) {
                    numbers.setAtIndex(ValueLayout.JAVA_INT, i, (int) values[i]);
                }
            }
            if (of == DType.FP64) {
                MemorySegment.copy(values, 0, numbers, ValueLayout.JAVA_DOUBLE, 0, count);
            }
            MemorySegment bytes = arena.allocate(Math.max(1, (long) count * dtype.byteSize()), Double.BYTES);
            convert(numbers, of, bytes, dtype, count);
            return bytes.asSlice(0, (long) count * dtype.byteSize()).toArray(ValueLayout.JAVA_BYTE);
        }
    }

    double[] decode(DType dtype, int count, MemorySegment bytes) {
        var values = new double[count];
        if (dtype == DType.INT32) {
            for (int i = 0; i < count; i++) {
                values[i] = bytes.getAtIndex(ValueLayout.JAVA_INT, i);
            }
            return values;
        }
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment numbers = arena.allocate(Math.max(1, (long) count * Double.BYTES), Double.BYTES);
            convert(bytes, dtype, numbers, DType.FP64, count);
            MemorySegment.copy(numbers, ValueLayout.JAVA_DOUBLE, 0, values, 0, count);
            return values;
        }
    }

    private void convert(MemorySegment in, DType from, MemorySegment out, DType to, int count) {
        try (var source = reference.allocate(MemoryCategory.WORKSPACE, Shape.of(count), from);
                var target = reference.allocate(MemoryCategory.WORKSPACE, Shape.of(count), to)) {
            reference.transfer().upload(queue, in, source);
            reference.kernels().elementwise().copy(queue, source, target);
            reference.transfer().download(queue, target, out);
            queue.drain();
        }
    }

    @Override
    public void close() {
        queue.close();
    }
}
