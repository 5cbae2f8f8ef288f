package io.hirundo.precision;

import io.hirundo.device.Queue;
import io.hirundo.tensor.Tensor;
import java.util.Optional;
import org.osgi.annotation.versioning.ConsumerType;

/**
 * The products of a linear layer with an operand that has come from other ranks, packed there. They are bitwise those of {@link
 * LinearMath} with the rows of all pieces one below the other. Belongs to one thread, and to its {@link LinearMath}.
 */
@ConsumerType
public interface PackedProducts {
  /** Whether pieces of so many rows can be packed each by itself, and give what all rows together would. */
  boolean packs(Operand operand, Contraction over, long rows);

  /**
   * Memory for packed pieces, of the category for communication; the caller's.
   *
   * @param rows of a piece
   */
  PackedOperand allocate(Operand operand, Contraction over, long rows, int pieces);

  /**
   * Packs some rows.
   *
   * @param xMK x or dy
   * @param piece a single one of as many rows, from {@link #allocate} with the same operand and contraction
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
   * As {@link LinearMath#multiplied}, for an operand that was packed; empty where nobody can look, and such products are not checked.
   *
   * @param over what the product sums over
   * @param packed all pieces where that is {@link Contraction#TOKENS}, a single one where it is {@link Contraction#FEATURES}
   */
  default Optional<MultipliedOperand> multiplied(Queue queue, Contraction over, PackedOperand packed) {
    return Optional.empty();
  }
}
