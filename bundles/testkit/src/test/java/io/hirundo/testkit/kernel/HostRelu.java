package io.hirundo.testkit.kernel;

import io.hirundo.device.Device;
import io.hirundo.device.MemoryCategory;
import io.hirundo.device.Queue;
import io.hirundo.kernel.host.HostTensor;
import io.hirundo.kernel.host.HostWorkers;
import io.hirundo.kernel.provider.KernelProvider;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Shape;
import io.hirundo.tensor.Tensor;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.function.BiConsumer;

/** For devices in host memory, in FP32: a task for each block of elements. Methods are there for mutants to override. */
class HostRelu implements KernelProvider<Relu> {
    static final int BLOCK = 64;

    @Override
    public Class<Relu> family() {
        return Relu.class;
    }

    @Override
    public String backend() {
        return "cpu";
    }

    @Override
    public Tier tier() {
        return Tier.FAST;
    }

    @Override
    public Relu open(Device device) {
        return new Kernels(device);
    }

    /** Elements that are computed. */
    long computed(long elements) {
        return elements;
    }

    /** Whether to allocate workspace. */
    boolean allocates(Device device) {
        return true;
    }

    /** Adds up the sums of tasks. */
    void add(float[] total, float[] sums, int task, float sum) {
        sums[task] = sum;
    }

    private final class Kernels implements Relu {
        private final Device device;

        Kernels(Device device) {
            this.device = device;
        }

        private static MemorySegment memory(String operand, Tensor tensor) {
            return HostTensor.of(operand, tensor).memory();
        }

        private static float get(MemorySegment memory, long index) {
            return memory.getAtIndex(ValueLayout.JAVA_FLOAT_UNALIGNED, index);
        }

        private static void set(MemorySegment memory, long index, float value) {
            memory.setAtIndex(ValueLayout.JAVA_FLOAT_UNALIGNED, index, value);
        }

        private void each(long elements, BiConsumer<Integer, Long> body) {
            int tasks = Math.toIntExact(Math.ceilDiv(elements, (long) BLOCK));
            device.adapt(HostWorkers.class).orElseThrow().run(tasks, task -> {
                for (long i = (long) task * BLOCK; i < Math.min(elements, (task + 1L) * BLOCK); i++) {
                    body.accept(task, i);
                }
            });
        }

        @Override
        public void forward(Queue queue, Tensor x, Tensor y) {
            if (device.computes()) {
                MemorySegment from = memory("x", x);
                MemorySegment to = memory("y", y);
                each(computed(x.elements()), (_, i) -> set(to, i, Math.max(0, get(from, i))));
            }
        }

        @Override
        public void backward(Queue queue, Tensor x, Tensor dy, Tensor dx) {
            if (device.computes()) {
                MemorySegment from = memory("x", x);
                MemorySegment gradient = memory("dy", dy);
                MemorySegment to = memory("dx", dx);
                each(x.elements(), (_, i) -> set(to, i, get(from, i) > 0 ? get(gradient, i) : 0));
            }
        }

        @Override
        public void sum(Queue queue, Tensor x, Tensor sum1) {
            int tasks = Math.toIntExact(Math.ceilDiv(x.elements(), (long) BLOCK));
            if (!allocates(device)) {
                return;
            }
            try (Tensor sums = device.allocate(MemoryCategory.WORKSPACE, Shape.of(tasks), DType.FP32)) {
                if (device.computes()) {
                    var total = new float[1];
                    var ofTasks = new float[tasks];
                    MemorySegment from = memory("x", x);
                    device.adapt(HostWorkers.class).orElseThrow().run(tasks, task -> {
                        float sum = 0;
                        for (long i = (long) task * BLOCK; i < Math.min(x.elements(), (task + 1L) * BLOCK); i++) {
                            sum += get(from, i);
                        }
                        add(total, ofTasks, task, sum);
                    });
                    for (float each : ofTasks) {
                        total[0] += each;
                    }
                    set(memory("sum", sum1), 0, total[0]);
                }
            }
        }
    }
}
