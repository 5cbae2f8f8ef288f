package org.example.relu;

import io.hirundo.device.Device;
import io.hirundo.device.MemoryCategory;
import io.hirundo.device.Queue;
import io.hirundo.kernel.ArithmeticKernels;
import io.hirundo.kernel.ElementwiseKernels;
import io.hirundo.kernel.provider.KernelProvider;
import io.hirundo.tensor.Tensor;
import java.util.Set;

/** For any device, with elementwise kernels. */
public final class ComposedRelu implements KernelProvider<ReluKernels> {
    @Override
    public Class<ReluKernels> family() {
        return ReluKernels.class;
    }

    @Override
    public Tier tier() {
        return Tier.COMPOSED;
    }

    @Override
    public Set<Class<?>> composes() {
        return Set.of(ElementwiseKernels.class, ArithmeticKernels.class);
    }

    @Override
    public ReluKernels open(Device device) {
        return new Kernels(
                device,
                device.kernels().elementwise(),
                device.kernels().find(ArithmeticKernels.class).orElseThrow());
    }

    /** Composed kernels. */
    record Kernels(Device device, ElementwiseKernels elementwise, ArithmeticKernels arithmetic) implements ReluKernels {
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
    }
}
