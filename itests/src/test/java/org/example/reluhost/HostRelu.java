package org.example.reluhost;

import io.hirundo.device.Device;
import io.hirundo.device.Queue;
import io.hirundo.kernel.host.HostTensor;
import io.hirundo.kernel.host.HostWorkers;
import io.hirundo.kernel.provider.KernelProvider;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Tensor;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.example.relu.ReluKernels;

/** In FP32: one pass over memory, by the device's threads. */
public final class HostRelu implements KernelProvider<ReluKernels> {
    @Override
    public Class<ReluKernels> family() {
        return ReluKernels.class;
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
    public ReluKernels open(Device device) {
        return new Kernels(device);
    }

    /** Of a device, or of a plan. */
    record Kernels(Device device) implements ReluKernels {
        private static final ValueLayout.OfFloat FP32 = ValueLayout.JAVA_FLOAT_UNALIGNED;
        private static final int BLOCK = 1 << 14;

        @Override
        public void forward(Queue queue, Tensor x, Tensor y) {
            if (device.computes()) {
                MemorySegment from = memory("x", x);
                MemorySegment to = memory("y", y);
                blocks(x.elements(), (first, end) -> {
                    for (long i = first; i < end; i++) {
                        to.setAtIndex(FP32, i, Math.max(0, from.getAtIndex(FP32, i)));
                    }
                });
            }
        }

        @Override
        public void backward(Queue queue, Tensor x, Tensor dy, Tensor dx) {
            if (device.computes()) {
                MemorySegment from = memory("x", x);
                MemorySegment gradient = memory("dy", dy);
                MemorySegment to = memory("dx", dx);
                blocks(x.elements(), (first, end) -> {
                    for (long i = first; i < end; i++) {
                        to.setAtIndex(FP32, i, from.getAtIndex(FP32, i) > 0 ? gradient.getAtIndex(FP32, i) : 0);
                    }
                });
            }
        }

        private static MemorySegment memory(String operand, Tensor tensor) {
            if (tensor.dtype() != DType.FP32) {
                throw new IllegalArgumentException(operand + " is " + tensor.dtype() + " (allowed: FP32)");
            }
            return HostTensor.of(operand, tensor).memory();
        }

        private interface Range {
            void run(long first, long end);
        }

        private void blocks(long elements, Range body) {
            int tasks = Math.toIntExact(Math.ceilDiv(elements, (long) BLOCK));
            device.adapt(HostWorkers.class).orElseThrow().run(tasks, task -> {
                long first = (long) task * BLOCK;
                body.run(first, Math.min(elements, first + BLOCK));
            });
        }
    }
}
