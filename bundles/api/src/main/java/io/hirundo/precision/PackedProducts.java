package io.hirundo.precision;

import io.hirundo.device.Queue;
import io.hirundo.tensor.Tensor;
import java.util.Optional;
import org.osgi.annotation.versioning.ConsumerType;

/**
 * GEMMs of a linear layer with an operand that was packed on other ranks. Bitwise equal to {@link LinearMath} on the concatenated
 * rows of all pieces. Confined to the thread of its {@link LinearMath}.
 */
@ConsumerType
public interface PackedProducts {
    /** Whether pieces of so many rows can be packed separately and give the same result as all rows together. */
    boolean packs(Operand operand, Contraction over, long rows);

    /**
     * Allocates packed pieces in category COMMUNICATION. The caller owns them.
     *
     * @param rows of a piece
     */
    PackedOperand allocate(Operand operand, Contraction over, long rows, int pieces);

    /**
     * Packs the rows of this rank.
     *
     * @param xMK x or dy
     * @param piece one piece with as many rows, from {@link #allocate} with the same operand and contraction
     */
    void pack(Queue queue, Operand operand, Contraction over, Tensor xMK, PackedOperand piece);

    /** {@code y = x wᵀ}; x is packed over {@link Contraction#FEATURES}. */
    void forward(Queue queue, PackedOperand x, PreparedWeight weight, Tensor yTN);

    /** {@code dx = dy w}; dy is packed over {@link Contraction#FEATURES}. */
    void inputGradient(Queue queue, PackedOperand dy, PreparedWeight weight, Tensor dxTK);

    /** {@code dw += dyᵀ x}; x is packed over {@link Contraction#TOKENS}. */
    void weightGradient(Queue queue, Tensor dyTN, PackedOperand x, Tensor dwNK);

    /** {@code dw += dyᵀ x}; dy is packed over {@link Contraction#TOKENS}. */
    void weightGradient(Queue queue, PackedOperand dy, Tensor xTK, Tensor dwNK);

    /**
     * Like {@link LinearMath#multiplied}, for a packed operand. If empty, the audit skips these GEMMs.
     *
     * @param over dimension that the GEMM sums over
     * @param packed all pieces for {@link Contraction#TOKENS}, one piece for {@link Contraction#FEATURES}
     */
    default Optional<MultipliedOperand> multiplied(Queue queue, Contraction over, PackedOperand packed) {
        return Optional.empty();
    }
}
