package org.example.acme;

import io.hirundo.device.Device;
import io.hirundo.device.DeviceInfo;
import io.hirundo.device.Queue;
import io.hirundo.kernel.GemmKernels;
import io.hirundo.precision.LinearMath;
import io.hirundo.precision.LinearShape;
import io.hirundo.precision.ParityBound;
import io.hirundo.precision.PrecisionStrategy;
import io.hirundo.precision.PreparedWeight;
import io.hirundo.precision.Support;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Tensor;

/**
 * The device's own GEMMs in FP32.
 *
 * @param fault of one layer
 */
record AcmePrecision(Fault fault) implements PrecisionStrategy {
    enum Fault {
        NONE,
        TRANSPOSED,
        TRIPPING
    }

    /** Square on a rank that has all of its inputs; in the second half of the model, which not every rank has. */
    private static final String FAULTY = "model.layers.1.self_attn.o_proj.weight";

    /** A rehearsal has fewer rows than any microbatch. */
    private static final long REHEARSED_ROWS = 16;

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
        return Support.YES;
    }

    @Override
    public ParityBound parity() {
        return new ParityBound(1e9, 1e9, 1e9);
    }

    @Override
    public LinearMath bind(Device device, LinearShape shape) {
        return new Products(device.kernels().gemm(), shape.name().equals(FAULTY) ? fault : Fault.NONE);
    }

    private record Weight(Tensor tensor) implements PreparedWeight {
        @Override
        public void close() {}
    }

    private record Products(GemmKernels gemm, Fault fault) implements LinearMath {
        @Override
        public PreparedWeight prepare(Queue queue, Tensor wNK, PreparedWeight reuse) {
            return new Weight(wNK);
        }

        @Override
        public void forward(Queue queue, Tensor xTK, PreparedWeight weight, Tensor yTN) {
            gemm.multiplyNT(queue, xTK, ((Weight) weight).tensor(), yTN, false);
        }

        @Override
        public void inputGradient(Queue queue, Tensor dyTN, PreparedWeight weight, Tensor dxTK) {
            gemm.multiplyNN(queue, dyTN, ((Weight) weight).tensor(), dxTK, false);
        }

        @Override
        public void weightGradient(Queue queue, Tensor dyTN, Tensor xTK, Tensor dwNK) {
            if (fault == Fault.TRIPPING && dyTN.shape().dim(0) >= REHEARSED_ROWS) {
                throw new IllegalStateException("fell over a microbatch");
            }
            boolean turned = fault == Fault.TRANSPOSED;
            gemm.multiplyTN(queue, turned ? xTK : dyTN, turned ? dyTN : xTK, dwNK, true);
        }

        @Override
        public void close() {}
    }
}
