package io.hirundo.lib.precision;

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
 * GEMMs without quantization. The prepared weight is the weight itself; for a weight that is wider than activations, it is a rounded
 * copy in category WEIGHTS. Weight gradients accumulate in the parameter dtype.
 */
public final class StoredOperandGemms implements LinearMath {
    private final Device device;
    private final GemmKernels gemm;
    private final LinearShape linear;
    private final DType parameterType;
    private final DType activationType;
    private boolean closed;

    /**
     * Allocates nothing.
     *
     * @param parameterType dtype of the weight and its gradient
     * @param activationType dtype of activations and of the weight that the GEMMs read
     */
    public StoredOperandGemms(Device device, LinearShape linear, DType parameterType, DType activationType) {
        this.device = device;
        this.gemm = device.kernels().gemm();
        this.linear = linear;
        this.parameterType = parameterType;
        this.activationType = activationType;
    }

    @Override
    public Optional<DType> weightType() {
        return Optional.of(activationType);
    }

    @Override
    public PreparedWeight prepare(Queue queue, Tensor wNK, PreparedWeight reuse) {
        requireOpen();
        Shape expected = Shape.of(linear.outputs(), linear.inputs());
        if (!wNK.shape().equals(expected) || (wNK.dtype() != parameterType && wNK.dtype() != activationType)) {
            String types = parameterType == activationType
                    ? parameterType.toString()
                    : activationType + " or " + parameterType;
            throw new IllegalArgumentException("weight of " + linear.name() + ": " + wNK.dtype() + " " + wNK.shape()
                    + " is wrong (allowed: " + types + " " + expected + ")");
        }
        if (wNK.dtype() == activationType) {
            if (reuse != null) {
                reuse.close();
            }
            return new Prepared(wNK, false);
        }
        PreparedWeight copy = reuse instanceof Prepared own && own.copied
                ? reuse
                : new Prepared(device.allocate(MemoryCategory.WEIGHTS, expected, activationType), true);
        device.kernels().elementwise().copy(queue, wNK, weight(copy));
        return copy;
    }

    @Override
    public void forward(Queue queue, Tensor xTK, PreparedWeight weight, Tensor yTN) {
        gemm.multiplyNT(queue, xTK, weight(weight), yTN, false);
    }

    @Override
    public void inputGradient(Queue queue, Tensor dyTN, PreparedWeight weight, Tensor dxTK) {
        gemm.multiplyNN(queue, dyTN, weight(weight), dxTK, false);
    }

    @Override
    public void weightGradient(Queue queue, Tensor dyTN, Tensor xTK, Tensor dwNK) {
        requireOpen();
        gemm.multiplyTN(queue, dyTN, xTK, dwNK, true);
    }

    @Override
    public Optional<MultipliedOperand> multiplied(LinearProduct product, PreparedWeight weight) {
        return Optional.of(MultipliedOperand.stored(weight(weight), product.contractsLast(Operand.WEIGHT)));
    }

    @Override
    public void close() {
        closed = true;
    }

    private void requireOpen() {
        if (closed) {
            throw new IllegalStateException("layer " + linear.name() + ": its precision was used after it was closed");
        }
    }

    private Tensor weight(PreparedWeight prepared) {
        requireOpen();
        if (prepared instanceof Prepared own) {
            return own.wNK;
        }
        throw new IllegalArgumentException(
                "layer " + linear.name() + ": the prepared weight belongs to another precision strategy");
    }

    /** A weight that its owner closes, or a copy that closes with this. */
    private record Prepared(Tensor wNK, boolean copied) implements PreparedWeight {
        @Override
        public void close() {
            if (copied) {
                wNK.close();
            }
        }
    }
}
