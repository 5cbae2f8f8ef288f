package io.hirundo.precision;

import io.hirundo.device.Queue;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Tensor;
import java.util.Optional;
import org.osgi.annotation.versioning.ConsumerType;

/**
 * The three GEMMs of one linear layer {@code y = x wᵀ}. Shape suffixes as in {@code io.hirundo.kernel.Kernels}. Same operands
 * give the same bits; NaNs propagate. Confined to one thread. {@code io.hirundo.testkit.PrecisionContract} tests this contract.
 */
@ConsumerType
public interface LinearMath extends AutoCloseable {
    /**
     * Dtype of the weight that {@link #prepare} gets in training; empty for {@link PrecisionStrategy#parameterType}, the master weights.
     * {@code prepare} must also accept that one.
     */
    default Optional<DType> weightType() {
        return Optional.empty();
    }

    /**
     * Prepares a weight for the GEMMs, once per optimizer step.
     *
     * @param reuse result of an earlier call, to overwrite; or null
     * @return owned by the caller; may refer to {@code wNK}, which must outlive it
     * @throws IllegalArgumentException if the weight's shape or dtype is wrong; names the layer
     */
    PreparedWeight prepare(Queue queue, Tensor wNK, PreparedWeight reuse);

    /** {@code y = x wᵀ}. */
    void forward(Queue queue, Tensor xTK, PreparedWeight weight, Tensor yTN);

    /** {@code dx = dy w}. */
    void inputGradient(Queue queue, Tensor dyTN, PreparedWeight weight, Tensor dxTK);

    /** {@code dw += dyᵀ x}. */
    void weightGradient(Queue queue, Tensor dyTN, Tensor xTK, Tensor dwNK);

    /**
     * Both gradients, bitwise equal to {@link #inputGradient} and {@link #weightGradient}, which the default calls. Override it
     * when one pass over dy can serve both.
     *
     * @param dyTN must not change until the result is closed; nor may {@code weight} and {@code dwNK}
     * @param dwNK accumulates the weight gradient
     */
    default GradientPair gradients(Queue queue, Tensor dyTN, PreparedWeight weight, Tensor dwNK) {
        return GradientPair.oneByOne(
                dxTK -> inputGradient(queue, dyTN, weight, dxTK),
                xTK -> weightGradient(queue, dyTN, xTK, dwNK),
                x -> packed().orElseThrow().weightGradient(queue, dyTN, x, dwNK));
    }

    /**
     * How ranks that each hold a shard of the weight can send its quantized form. Empty if the GEMMs read the weight as it is, or
     * if quantization depends on more than the weight.
     */
    default Optional<WeightCoding> coding() {
        return Optional.empty();
    }

    /**
     * The values that a GEMM multiplies for an operand that is not the weight. The audit recomputes GEMMs from exactly these
     * values, so that it tells wrong arithmetic from quantization error. Does not modify anything. Override it if the operand is
     * quantized; the default is the operand as stored.
     *
     * @param operand an operand of {@code product}
     * @param x x or dy, as passed to the GEMM
     * @return the operand as the GEMM reads it in the current step
     */
    default MultipliedOperand multiplied(Queue queue, LinearProduct product, Operand operand, Tensor x) {
        return MultipliedOperand.stored(x, product.contractsLast(operand));
    }

    /**
     * The same for the weight. Empty if the GEMM reads it as stored.
     *
     * @param product {@link LinearProduct#OUTPUT} or {@link LinearProduct#INPUT_GRADIENT}
     * @param weight from {@link #prepare}
     */
    default Optional<MultipliedOperand> multiplied(LinearProduct product, PreparedWeight weight) {
        return Optional.empty();
    }

    /**
     * No longer called: a parity check runs like a step and then {@link StepMemory#discard discards} it.
     *
     * @deprecated removed in the next major version
     */
    @Deprecated(since = "0.10")
    default void trial(boolean on) {}

    /**
     * Quantization error of an operand of the current step's GEMMs, as the forward and the input gradient see it. Empty if operands
     * are not quantized. Does not modify anything. Waits for the queue, so it is for diagnostics, not for every step.
     *
     * @param x the operand: x or dy as passed to the GEMMs, or the weight that was prepared last
     */
    default Optional<RoundingLoss> roundingLoss(Queue queue, Operand operand, Tensor x) {
        return Optional.empty();
    }

    /**
     * Whether the GEMMs quantize operands, so that {@link #roundingLoss} can report on them. If not, the parity check of a swap allows only the
     * differences that sums in another order explain. May be called before the first GEMM.
     */
    default boolean roundsOperands() {
        return false;
    }

    /** State carried from step to step, such as amax histories. Empty if the GEMMs of a step do not depend on earlier steps. */
    default Optional<StepMemory> memory() {
        return Optional.empty();
    }

    /**
     * The same GEMMs with operands that travel between ranks in a smaller, quantized form. The answer may change from step to step;
     * ranks that ask at the same point of a step get the same answer.
     */
    default Optional<PackedProducts> packed() {
        return Optional.empty();
    }

    /** Releases its memory. Idempotent; any later use throws {@link IllegalStateException}. */
    @Override
    void close();
}
