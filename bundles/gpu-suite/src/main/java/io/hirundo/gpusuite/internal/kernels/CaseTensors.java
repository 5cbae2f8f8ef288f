package io.hirundo.gpusuite.internal.kernels;

import io.hirundo.device.Device;
import io.hirundo.device.MemoryCategory;
import io.hirundo.device.Queue;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Shape;
import io.hirundo.tensor.Tensor;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.LongToDoubleFunction;

/** The tensors of one run of a case on a device. The reference rounds the operands, so they are bitwise equal on all devices. */
public final class CaseTensors implements AutoCloseable {
    private final Device device;
    private final Queue queue;
    private final Encoding encoding;
    private final List<Tensor> tensors = new ArrayList<>();

    CaseTensors(Device device, Encoding encoding) {
        this.device = device;
        this.encoding = encoding;
        queue = device.newQueue("kernel-case");
    }

    public Queue queue() {
        return queue;
    }

    /** A tensor with values by index. */
    Tensor tensor(DType dtype, LongToDoubleFunction value, long... dims) {
        Tensor tensor = device.allocate(MemoryCategory.ACTIVATIONS, Shape.of(dims), dtype);
        tensors.add(tensor);
        byte[] bytes = encoding.encode(dtype, Math.toIntExact(tensor.elements()), value);
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment host = arena.allocate(Math.max(1, bytes.length), Double.BYTES);
            MemorySegment.copy(bytes, 0, host, ValueLayout.JAVA_BYTE, 0, bytes.length);
            device.transfer().upload(queue, host, tensor);
            queue.drain();
        }
        return tensor;
    }

    /** Normally distributed values; the same seed gives the same values. */
    Tensor random(DType dtype, long seed, long... dims) {
        var random = new Random(seed);
        return tensor(dtype, i -> random.nextGaussian(), dims);
    }

    /** A tensor of values that every kernel should overwrite. */
    public Tensor empty(DType dtype, long... dims) {
        return tensor(dtype, i -> 77, dims);
    }

    double[] values(Tensor tensor) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment host = arena.allocate(Math.max(1, tensor.byteSize()), Double.BYTES);
            device.transfer().download(queue, tensor, host);
            queue.drain();
            return encoding.decode(tensor.dtype(), Math.toIntExact(tensor.elements()), host);
        }
    }

    @Override
    public void close() {
        tensors.forEach(Tensor::close);
        queue.close();
    }
}
