package io.hirundo.lib.precision;

import io.hirundo.device.Device;
import io.hirundo.device.MemoryCategory;
import io.hirundo.device.Queue;
import io.hirundo.kernel.scaled.BlockScaledKernels;
import io.hirundo.kernel.scaled.ScaledMatrix;
import io.hirundo.precision.GradientPair;
import io.hirundo.precision.LinearMath;
import io.hirundo.precision.LinearProduct;
import io.hirundo.precision.LinearShape;
import io.hirundo.precision.MultipliedOperand;
import io.hirundo.precision.Operand;
import io.hirundo.precision.PackedProducts;
import io.hirundo.precision.PreparedWeight;
import io.hirundo.precision.RoundingLoss;
import io.hirundo.precision.StepMemory;
import io.hirundo.precision.WeightCoding;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Shape;
import io.hirundo.tensor.Tensor;
import java.util.List;
import java.util.Optional;
import java.util.function.BiFunction;

/**
 * GEMMs of quantized operands. Every operand is quantized along its contracted dimension, always from the original values.
 * Weights are quantized once per step in both directions; activations and gradients for each GEMM, in workspace. Weights,
 * accumulators and weight gradients are FP32.
 */
public final class QuantizedGemms implements LinearMath {
    private final Device device;
    private final BlockScaledKernels kernels;
    private final LinearShape linear;
    private final OperandQuantizer quantizer;
    private boolean closed;

    /**
     * Allocates nothing.
     *
     * @param quantizer closed with this
     */
    public QuantizedGemms(Device device, BlockScaledKernels kernels, LinearShape linear, OperandQuantizer quantizer) {
        this.device = device;
        this.kernels = kernels;
        this.linear = linear;
        this.quantizer = quantizer;
    }

    @Override
    public PreparedWeight prepare(Queue queue, Tensor wNK, PreparedWeight reuse) {
        requireOpen();
        Shape expected = Shape.of(linear.outputs(), linear.inputs());
        if (!wNK.shape().equals(expected) || wNK.dtype() != DType.FP32) {
            throw new IllegalArgumentException("weight of " + linear.name() + ": " + wNK.dtype() + " " + wNK.shape()
                    + " is wrong (allowed: " + DType.FP32 + " " + expected + ")");
        }
        // Before the allocation: it may communicate, and other ranks may have failed.
        quantizer.weightIsNew(queue, wNK);
        QuantizedWeight weight = weightFor(reuse);
        quantizer.quantizeBoth(
                queue,
                Operand.WEIGHT,
                wNK,
                weight.rows().scaled(),
                weight.columns().scaled());
        return weight;
    }

    @Override
    public Optional<WeightCoding> coding() {
        return quantizer
                .weightPieces()
                .map(pieces ->
                        new QuantizedCoding(device, linear, quantizer.codes(Operand.WEIGHT), pieces, this::weightFor));
    }

    private QuantizedWeight weightFor(PreparedWeight reuse) {
        return reuse != null
                ? weight(reuse)
                : allocateBoth(
                        MemoryCategory.WEIGHTS,
                        Operand.WEIGHT,
                        linear.outputs(),
                        linear.inputs(),
                        QuantizedWeight::new);
    }

    private <T> T allocateBoth(
            MemoryCategory category,
            Operand operand,
            long rows,
            long columns,
            BiFunction<QuantizedMatrix, QuantizedMatrix, T> made) {
        QuantizedMatrix straight = allocate(category, operand, rows, columns);
        try {
            return made.apply(straight, allocate(category, operand, columns, rows));
        } catch (RuntimeException failure) {
            straight.close();
            throw failure;
        }
    }

    @Override
    public void forward(Queue queue, Tensor xTK, PreparedWeight weight, Tensor yTN) {
        QuantizedWeight own = weight(weight);
        try (QuantizedMatrix x = rows(queue, Operand.INPUT, xTK)) {
            kernels.multiplyNT(queue, x.scaled(), own.rows().scaled(), yTN, false);
        }
    }

    @Override
    public void inputGradient(Queue queue, Tensor dyTN, PreparedWeight weight, Tensor dxTK) {
        QuantizedWeight own = weight(weight);
        try (QuantizedMatrix dy = rows(queue, Operand.OUTPUT_GRADIENT, dyTN)) {
            inputGradient(queue, dy, own, dxTK);
        }
    }

    /** {@code dy}: not transposed. */
    void inputGradient(Queue queue, QuantizedMatrix dy, QuantizedWeight weight, Tensor dxTK) {
        requireOpen();
        kernels.multiplyNT(queue, dy.scaled(), weight.columns().scaled(), dxTK, false);
    }

    @Override
    public void weightGradient(Queue queue, Tensor dyTN, Tensor xTK, Tensor dwNK) {
        requireOpen();
        try (QuantizedMatrix dy = columns(queue, Operand.OUTPUT_GRADIENT, dyTN)) {
            weightGradient(queue, dy, dyTN, xTK, dwNK);
        }
    }

    /** {@code dy}: transposed. */
    void weightGradient(Queue queue, QuantizedMatrix dy, Tensor dyTN, Tensor xTK, Tensor dwNK) {
        requireOpen();
        try (QuantizedMatrix x = columns(queue, Operand.INPUT, xTK)) {
            kernels.multiplyNT(queue, dy.scaled(), x.scaled(), dwNK, true);
        }
        quantizer.gradientIsFound(queue, dyTN, xTK);
    }

    /** Holds both quantized copies of dy until dx is computed. */
    @Override
    public GradientPair gradients(Queue queue, Tensor dyTN, PreparedWeight weight, Tensor dwNK) {
        QuantizedWeight own = weight(weight);
        QuantizedGradients gradients = allocateBoth(
                MemoryCategory.WORKSPACE,
                Operand.OUTPUT_GRADIENT,
                dyTN.shape().rows(),
                dyTN.shape().dim(-1),
                (rows, columns) -> new QuantizedGradients(this, queue, dyTN, rows, columns, own, dwNK));
        try {
            gradients.quantize(quantizer);
            return gradients;
        } catch (RuntimeException failure) {
            gradients.close();
            throw failure;
        }
    }

    @Override
    public Optional<PackedProducts> packed() {
        return packedProducts().map(products -> products);
    }

    Optional<PackedQuantizedGemms> packedProducts() {
        requireOpen();
        return quantizer
                .transferredScales()
                .map(scales ->
                        new PackedQuantizedGemms(this, kernels, linear, new PackedCodes(device, quantizer, scales)));
    }

    private QuantizedMatrix rows(Queue queue, Operand operand, Tensor x) {
        QuantizedMatrix matrix = allocate(
                MemoryCategory.WORKSPACE, operand, x.shape().rows(), x.shape().dim(-1));
        quantizer.quantize(queue, operand, x, matrix.scaled());
        return matrix;
    }

    /** Quantizes the transpose of an operand. The caller owns the result. */
    QuantizedMatrix columns(Queue queue, Operand operand, Tensor x) {
        QuantizedMatrix matrix = allocate(
                MemoryCategory.WORKSPACE, operand, x.shape().dim(-1), x.shape().rows());
        quantizer.quantizeTransposed(queue, operand, x, matrix.scaled());
        return matrix;
    }

    private QuantizedMatrix allocate(MemoryCategory category, Operand operand, long rows, long columns) {
        return QuantizedMatrix.allocate(
                device, category, quantizer.codes(operand), quantizer.block(operand), rows, columns);
    }

    @Override
    public MultipliedOperand multiplied(Queue queue, LinearProduct product, Operand operand, Tensor x) {
        requireOpen();
        QuantizedMatrix matrix = product.contractsLast(operand) ? rows(queue, operand, x) : columns(queue, operand, x);
        return MultipliedOperand.codes(
                matrix.scaled(),
                List.of(matrix.scaled().codesMK(), matrix.scaled().inverseScales()));
    }

    @Override
    public Optional<MultipliedOperand> multiplied(LinearProduct product, PreparedWeight weight) {
        return Optional.of(
                MultipliedOperand.codes(product == LinearProduct.OUTPUT ? rows(weight) : columns(weight), List.of()));
    }

    @Override
    public Optional<RoundingLoss> roundingLoss(Queue queue, Operand operand, Tensor x) {
        requireOpen();
        try (QuantizedMatrix rounded = rows(queue, operand, x)) {
            return Optional.of(RoundingMeasure.of(device, queue, x, rounded.scaled()));
        }
    }

    @Override
    public boolean roundsOperands() {
        return true;
    }

    @Override
    public Optional<StepMemory> memory() {
        return quantizer.memory();
    }

    @Override
    public void close() {
        if (!closed) {
            closed = true;
            quantizer.close();
        }
    }

    void requireOpen() {
        if (closed) {
            throw new IllegalStateException("layer " + linear.name() + ": its precision was used after it was closed");
        }
    }

    /** A quantized weight [N, K]. */
    ScaledMatrix rows(PreparedWeight prepared) {
        return weight(prepared).rows().scaled();
    }

    /** Its transpose [K, N]. */
    ScaledMatrix columns(PreparedWeight prepared) {
        return weight(prepared).columns().scaled();
    }

    private QuantizedWeight weight(PreparedWeight prepared) {
        requireOpen();
        if (prepared instanceof QuantizedWeight own) {
            return own;
        }
        throw new IllegalArgumentException(
                "layer " + linear.name() + ": the prepared weight belongs to another precision strategy");
    }
}
