package io.hirundo.testkit.kernel;

import io.hirundo.device.Device;
import io.hirundo.device.MemoryCategory;
import io.hirundo.device.Queue;
import io.hirundo.kernel.ArithmeticKernels;
import io.hirundo.kernel.ElementwiseKernels;
import io.hirundo.kernel.GemmKernels;
import io.hirundo.kernel.provider.KernelProvider;
import io.hirundo.tensor.Tensor;
import java.util.Set;

/** For any device. */
final class ComposedRelu implements KernelProvider<Relu> {
    @Override
    public Class<Relu> family() {
        return Relu.class;
    }

    @Override
    public Tier tier() {
        return Tier.COMPOSED;
    }

    @Override
    public Set<Class<?>> composes() {
        return Set.of(ElementwiseKernels.class, ArithmeticKernels.class, GemmKernels.class);
    }

    @Override
    public Relu open(Device device) {
        return new Kernels(
                device,
                device.kernels().elementwise(),
                device.kernels().find(ArithmeticKernels.class).orElseThrow());
    }

    private record Kernels(Device device, ElementwiseKernels elementwise, ArithmeticKernels arithmetic)
            implements Relu {
        @Override
        public void forward(Queue queue, Tensor x, Tensor y) {
            elementwise.fill(queue, y, 0);
            elementwise.maximum(queue, x, y);
        }

        @Override
        public void backward(Queue queue, Tensor x, Tensor dy, Tensor dx) {
            try (Tensor positive = device.allocate(MemoryCategory.WORKSPACE, x.shape(), x.dtype())) {
                forward(queue, x, positive);
                arithmetic.sign(queue, positive);
                elementwise.copy(queue, dy, dx);
                arithmetic.multiply(queue, positive, dx);
            }
        }

        @Override
        public void sum(Queue queue, Tensor x, Tensor sum1) {
            try (Tensor ones = device.allocate(MemoryCategory.WORKSPACE, x.shape(), x.dtype())) {
                elementwise.fill(queue, ones, 1);
                device.kernels()
                        .gemm()
                        .multiplyNT(
                                queue,
                                x.reshape(1, x.elements()),
                                ones.reshape(1, x.elements()),
                                sum1.reshape(1, 1),
                                false);
            }
        }
    }
}
