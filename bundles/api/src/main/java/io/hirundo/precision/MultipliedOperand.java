package io.hirundo.precision;

import io.hirundo.kernel.ScaledMatrix;
import io.hirundo.tensor.Tensor;
import java.util.List;
import java.util.Optional;

/**
 * An operand exactly as a product multiplies it: after all rounding, before any sum. Whoever asked for it closes it, before the
 * operand that it was made of changes.
 *
 * @param values what is multiplied: FP32, BF16 or FP64 values, or 8-bit codes; a matrix of {@code shape().rows()} rows
 * @param scaled the codes with their scales, where values are codes
 * @param contractedLast whether the product sums over the columns of values; otherwise over their rows
 * @param owned memory that closes with this
 */
public record MultipliedOperand(Tensor values, Optional<ScaledMatrix> scaled, boolean contractedLast, List<Tensor> owned)
    implements AutoCloseable {
  public MultipliedOperand {
    owned = List.copyOf(owned);
  }

  /** Values that are multiplied as they are stored; lent. */
  public static MultipliedOperand stored(Tensor values, boolean contractedLast) {
    return new MultipliedOperand(values, Optional.empty(), contractedLast, List.of());
  }

  /** Codes whose columns the product sums over; {@code owned}: taken over. */
  public static MultipliedOperand codes(ScaledMatrix scaled, List<Tensor> owned) {
    return new MultipliedOperand(scaled.codesMK(), Optional.of(scaled), true, owned);
  }

  @Override
  public void close() {
    owned.forEach(Tensor::close);
  }
}
