package __package__;

import io.hirundo.device.Device;
import io.hirundo.device.MemoryCategory;
import io.hirundo.device.Queue;
import io.hirundo.kernel.GemmKernels;
import io.hirundo.precision.LinearMath;
import io.hirundo.precision.LinearProduct;
import io.hirundo.precision.LinearShape;
import io.hirundo.precision.MultipliedOperand;
import io.hirundo.precision.Operand;
import io.hirundo.precision.PreparedWeight;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Shape;
import io.hirundo.tensor.Tensor;
import java.util.Optional;

/**
 * The three GEMMs of one linear layer, on the device's kernels. T is tokens, N the layer's outputs, K its inputs: {@code xTK} is [tokens,
 * inputs].
 *
 * <p>To change how a layer computes, change these methods: convert the operands {@code xTK} and {@code dyTN} before a GEMM, or the weight
 * in {@link #prepare}, once per optimizer step. Allocate memory for them from the device, under a category, and free it in {@code
 * close}.
 */
final class __Name__LinearMath implements LinearMath {
    private final Device device;
    private final GemmKernels gemm;
    private final LinearShape linear;
    private final boolean roundWeights;
    private boolean closed;

    __Name__LinearMath(Device device, LinearShape linear, boolean roundWeights) {
        this.device = device;
        this.gemm = device.kernels().gemm();
        this.linear = linear;
        this.roundWeights = roundWeights;
    }

    @Override
    public PreparedWeight prepare(Queue queue, Tensor wNK, PreparedWeight reuse) {
        requireOpen();
        Shape expected = Shape.of(linear.outputs(), linear.inputs());
        if (!wNK.shape().equals(expected) || wNK.dtype() != DType.FP32) {
            throw new IllegalArgumentException("weight of " + linear.name() + " must be FP32 " + expected + ", not "
                    + wNK.dtype() + " " + wNK.shape());
        }
        if (!roundWeights) {
            return new Prepared(wNK, false);
        }
        PreparedWeight rounded = reuse != null
                ? reuse
                : new Prepared(device.allocate(MemoryCategory.WEIGHTS, expected, DType.BF16), true);
        device.kernels().elementwise().copy(queue, wNK, weight(rounded));
        return rounded;
    }

    @Override
    public void forward(Queue queue, Tensor xTK, PreparedWeight weight, Tensor yTN) {
        gemm.multiplyNT(queue, xTK, weight(weight), yTN, false);
    }

    @Override
    public void inputGradient(Queue queue, Tensor dyTN, PreparedWeight weight, Tensor dxTK) {
        gemm.multiplyNN(queue, dyTN, weight(weight), dxTK, false);
    }

    /** Accumulates: a step runs several microbatches. */
    @Override
    public void weightGradient(Queue queue, Tensor dyTN, Tensor xTK, Tensor dwNK) {
        requireOpen();
        gemm.multiplyTN(queue, dyTN, xTK, dwNK, true);
    }

    /** Inputs for the parity check: the weight as the GEMMs read it. If x and dy are rounded too, also override the other method. */
    @Override
    public Optional<MultipliedOperand> multiplied(LinearProduct product, PreparedWeight weight) {
        return Optional.of(MultipliedOperand.stored(weight(weight), product.contractsLast(Operand.WEIGHT)));
    }

    @Override
    public void close() {
        closed = true;
    }

    private Tensor weight(PreparedWeight prepared) {
        requireOpen();
        if (prepared instanceof Prepared own) {
            return own.wNK;
        }
        throw new IllegalArgumentException(
                "the prepared weight of " + linear.name() + " was prepared by another precision");
    }

    private void requireOpen() {
        if (closed) {
            throw new IllegalStateException("the GEMMs of " + linear.name() + " were used after close");
        }
    }

    /** The weight, owned by the caller, or a rounded copy, which closes with this. */
    private record Prepared(Tensor wNK, boolean copied) implements PreparedWeight {
        @Override
        public void close() {
            if (copied) {
                wNK.close();
            }
        }
    }
}
