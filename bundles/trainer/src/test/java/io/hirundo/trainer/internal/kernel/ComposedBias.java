package io.hirundo.trainer.internal.kernel;

import io.hirundo.device.Device;
import io.hirundo.device.MemoryCategory;
import io.hirundo.device.Queue;
import io.hirundo.kernel.BiasKernels;
import io.hirundo.kernel.ElementwiseKernels;
import io.hirundo.kernel.GemmKernels;
import io.hirundo.kernel.provider.KernelProvider;
import io.hirundo.strategy.HirundoStrategy;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Shape;
import io.hirundo.tensor.Tensor;
import java.util.Set;

/** Biases of any device: GEMMs with a column of ones, in workspace. */
@HirundoStrategy(kind = KernelProvider.KIND, name = "composed-bias")
class ComposedBias implements KernelProvider<BiasKernels> {
    @Override
    public Class<BiasKernels> family() {
        return BiasKernels.class;
    }

    @Override
    public Tier tier() {
        return Tier.COMPOSED;
    }

    @Override
    public Set<Class<?>> composes() {
        return Set.of(GemmKernels.class, ElementwiseKernels.class);
    }

    @Override
    public BiasKernels open(Device device) {
        return new Composed(device);
    }

    private record Composed(Device device) implements BiasKernels {
        @Override
        public void add(Queue queue, Tensor biasN, Tensor xTM, long firstColumn) {
            long columns = biasN.elements();
            try (Tensor onesT1 = ones(queue, xTM.shape().rows(), biasN.dtype());
                    Tensor xTN = columns(queue, xTM, firstColumn, columns)) {
                device.kernels().gemm().multiplyNN(queue, onesT1, biasN.reshape(1, columns), xTN, true);
                device.kernels().elementwise().copyColumns(queue, xTN, xTM, firstColumn);
            }
        }

        @Override
        public void addColumnSums(Queue queue, Tensor dyTM, long firstColumn, Tensor dBiasN) {
            long columns = dBiasN.elements();
            try (Tensor onesT1 = ones(queue, dyTM.shape().rows(), dyTM.dtype());
                    Tensor dyTN = columns(queue, dyTM, firstColumn, columns)) {
                device.kernels().gemm().multiplyTN(queue, onesT1, dyTN, dBiasN.reshape(1, columns), true);
            }
        }

        private Tensor ones(Queue queue, long rows, DType dtype) {
            Tensor ones = device.allocate(MemoryCategory.WORKSPACE, Shape.of(rows, 1), dtype);
            device.kernels().elementwise().fill(queue, ones, 1);
            return ones;
        }

        private Tensor columns(Queue queue, Tensor xTM, long firstColumn, long columns) {
            Tensor xTN = device.allocate(
                    MemoryCategory.WORKSPACE, Shape.of(xTM.shape().rows(), columns), xTM.dtype());
            device.kernels().elementwise().copyFromColumns(queue, xTM, firstColumn, xTN);
            return xTN;
        }
    }
}
