package io.hirundo.testkit.precision;

import io.hirundo.device.Device;
import io.hirundo.device.DeviceInfo;
import io.hirundo.device.MemoryCategory;
import io.hirundo.device.Queue;
import io.hirundo.kernel.GemmKernels;
import io.hirundo.precision.LinearMath;
import io.hirundo.precision.LinearProduct;
import io.hirundo.precision.LinearShape;
import io.hirundo.precision.MultipliedOperand;
import io.hirundo.precision.Operand;
import io.hirundo.precision.PrecisionStrategy;
import io.hirundo.precision.PreparedWeight;
import io.hirundo.precision.Support;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Shape;
import io.hirundo.tensor.Tensor;
import java.util.Optional;

/** FP32 with a copy of each weight, like strategies that quantize. Mutants extend it. */
class SoundPrecision implements PrecisionStrategy {
    @Override
    public DType parameterType() {
        return DType.FP32;
    }

    @Override
    public DType activationType() {
        return DType.FP32;
    }

    @Override
    public Support supports(DeviceInfo device, LinearShape shape) {
        return shape.outputs() * shape.inputs() > 0 ? Support.YES : Support.no("no elements");
    }

    @Override
    public LinearMath bind(Device device, LinearShape shape) {
        return new Math(device, shape);
    }

    static class Copy implements PreparedWeight {
        final Tensor tensor;
        private boolean closed;

        Copy(Tensor tensor) {
            this.tensor = tensor;
        }

        @Override
        public void close() {
            if (!closed) {
                closed = true;
                tensor.close();
            }
        }
    }

    static class Math implements LinearMath {
        final Device device;
        final GemmKernels gemm;
        final LinearShape shape;
        private boolean closed;

        Math(Device device, LinearShape shape) {
            this.device = device;
            this.gemm = device.kernels().gemm();
            this.shape = shape;
        }

        @Override
        public PreparedWeight prepare(Queue queue, Tensor wNK, PreparedWeight reuse) {
            requireOpen();
            if (!wNK.shape().equals(Shape.of(shape.outputs(), shape.inputs())) || wNK.dtype() != DType.FP32) {
                throw new IllegalArgumentException("weight of " + shape.name());
            }
            Copy copy = reuse == null ? new Copy(allocate(wNK)) : (Copy) reuse;
            device.kernels().elementwise().copy(queue, wNK, copy.tensor);
            return copy;
        }

        Tensor allocate(Tensor like) {
            return device.allocate(MemoryCategory.WEIGHTS, like.shape(), like.dtype());
        }

        @Override
        public void forward(Queue queue, Tensor xTK, PreparedWeight weight, Tensor yTN) {
            requireOpen();
            gemm.multiplyNT(queue, xTK, own(weight), yTN, false);
        }

        @Override
        public void inputGradient(Queue queue, Tensor dyTN, PreparedWeight weight, Tensor dxTK) {
            requireOpen();
            gemm.multiplyNN(queue, dyTN, own(weight), dxTK, false);
        }

        @Override
        public void weightGradient(Queue queue, Tensor dyTN, Tensor xTK, Tensor dwNK) {
            requireOpen();
            gemm.multiplyTN(queue, dyTN, xTK, dwNK, true);
        }

        @Override
        public Optional<MultipliedOperand> multiplied(LinearProduct product, PreparedWeight weight) {
            return Optional.of(MultipliedOperand.stored(own(weight), product.contractsLast(Operand.WEIGHT)));
        }

        Tensor own(PreparedWeight weight) {
            if (weight instanceof Copy copy) {
                return copy.tensor;
            }
            throw new IllegalArgumentException("not prepared here");
        }

        void requireOpen() {
            if (closed) {
                throw new IllegalStateException("closed");
            }
        }

        @Override
        public void close() {
            closed = true;
        }
    }
}
