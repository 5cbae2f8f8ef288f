package io.hirundo.gpusuite.internal.bench;

import io.hirundo.device.Device;
import io.hirundo.device.MemoryCategory;
import io.hirundo.device.Queue;
import io.hirundo.kernel.Kernels;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Shape;
import io.hirundo.tensor.Tensor;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** The tensors of a benchmark; closing frees them. */
final class BenchmarkTensors implements AutoCloseable {
    /** Normally distributed values, repeated in larger tensors. With zeros a GPU would draw less power and run faster than with real data. */
    private static final int DIFFERENT_VALUES = 1 << 20;

    private final Device device;
    private final Queue queue;
    private final List<Tensor> tensors = new ArrayList<>();
    private final Tensor values;

    BenchmarkTensors(Device device) {
        this.device = device;
        queue = device.newQueue("benchmark");
        values = empty(DType.FP32, DIFFERENT_VALUES);
        var random = new Random(1);
        var host = new float[DIFFERENT_VALUES];
        for (int i = 0; i < host.length; i++) {
            host[i] = (float) random.nextGaussian();
        }
        device.transfer().upload(queue, MemorySegment.ofArray(host), values);
        queue.drain();
    }

    Queue queue() {
        return queue;
    }

    Kernels kernels() {
        return device.kernels();
    }

    /** Normally distributed values. */
    Tensor random(DType dtype, long... dims) {
        Tensor tensor = empty(dtype, dims);
        for (long begin = 0; begin < tensor.elements(); begin += DIFFERENT_VALUES) {
            Shape part = Shape.of(Math.min(DIFFERENT_VALUES, tensor.elements() - begin));
            kernels().elementwise().copy(queue, values.view(0, part), tensor.view(begin, part));
        }
        return tensor;
    }

    /** A tensor filled with one value. */
    Tensor filled(DType dtype, double value, Shape shape) {
        Tensor tensor = empty(dtype, shape);
        kernels().elementwise().fill(queue, tensor, value);
        return tensor;
    }

    /** An uninitialized tensor. */
    Tensor empty(DType dtype, long... dims) {
        return empty(dtype, Shape.of(dims));
    }

    private Tensor empty(DType dtype, Shape shape) {
        Tensor tensor = device.allocate(MemoryCategory.WORKSPACE, shape, dtype);
        tensors.add(tensor);
        return tensor;
    }

    @Override
    public void close() {
        tensors.forEach(Tensor::close);
        queue.close();
    }
}
