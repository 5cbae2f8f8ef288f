package io.hirundo.lib.precision;

import io.hirundo.device.Queue;
import io.hirundo.kernel.scaled.ScaleBlock;
import io.hirundo.kernel.scaled.ScaledMatrix;
import io.hirundo.precision.Operand;
import io.hirundo.precision.StepMemory;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Tensor;
import java.util.Optional;
import org.osgi.annotation.versioning.ConsumerType;

/** Quantizes the operands of one layer's {@link QuantizedGemms} to 8-bit matrices. Confined to one thread. */
@ConsumerType
public interface OperandQuantizer extends AutoCloseable {
    /** Scaling granularity of an operand. */
    ScaleBlock block(Operand operand);

    /** 8-bit dtype of an operand. */
    DType codes(Operand operand);

    /** Quantizes an operand. Repeated calls give the same bits, until {@link #weightIsNew}. */
    void quantize(Queue queue, Operand operand, Tensor xMK, ScaledMatrix rowsMK);

    /** Quantizes the transpose of an operand. */
    void quantizeTransposed(Queue queue, Operand operand, Tensor xMK, ScaledMatrix columnsKM);

    /** Both, bitwise the same. */
    default void quantizeBoth(Queue queue, Operand operand, Tensor xMK, ScaledMatrix rowsMK, ScaledMatrix columnsKM) {
        quantize(queue, operand, xMK, rowsMK);
        quantizeTransposed(queue, operand, xMK, columnsKM);
    }

    /** How a sharded weight is quantized run by run, bitwise the same; empty if unsupported. */
    default Optional<WeightPieces> weightPieces() {
        return Optional.empty();
    }

    /** Called before a weight that may have changed is quantized, including the first. */
    default void weightIsNew(Queue queue, Tensor wNK) {}

    /** Called after a weight gradient from these operands: once per training microbatch, never in evaluation. */
    default void gradientIsFound(Queue queue, Tensor dyTN, Tensor xTK) {}

    /**
     * Dtype in which scales travel between ranks with the quantized values; it must represent every scale exactly. Empty if
     * operands travel unquantized: because the blocks of some rows depend on other rows, or the GEMM needs the values.
     */
    default Optional<DType> transferredScales() {
        return Optional.empty();
    }

    /**
     * See {@link io.hirundo.precision.LinearMath#trial}.
     *
     * @deprecated removed in the next major version
     */
    @Deprecated(since = "0.10")
    default void trial(boolean on) {}

    /** See {@link io.hirundo.precision.LinearMath#memory}. */
    default Optional<StepMemory> memory() {
        return Optional.empty();
    }

    /** Releases its memory; called once. */
    @Override
    default void close() {}
}
