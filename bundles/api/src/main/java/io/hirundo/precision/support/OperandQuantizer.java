package io.hirundo.precision.support;

import io.hirundo.device.Queue;
import io.hirundo.kernel.ScaleBlock;
import io.hirundo.kernel.ScaledMatrix;
import io.hirundo.precision.Operand;
import io.hirundo.precision.StepMemory;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Tensor;
import java.util.Optional;
import org.osgi.annotation.versioning.ConsumerType;

/** How the operands of one layer's {@link QuantizedProducts} become 8-bit matrices. Belongs to one thread. */
@ConsumerType
public interface OperandQuantizer extends AutoCloseable {
  /** What shares a scale. */
  ScaleBlock block(Operand operand);

  /** The 8-bit type. */
  DType codes(Operand operand);

  /** Quantizes an operand; the same one again with the same bits, until {@link #weightIsNew}. */
  void quantize(Queue queue, Operand operand, Tensor xMK, ScaledMatrix rowsMK);

  /** Quantizes the transpose of an operand. */
  void quantizeTransposed(Queue queue, Operand operand, Tensor xMK, ScaledMatrix columnsKM);

  /** Both, with the same bits. */
  default void quantizeBoth(Queue queue, Operand operand, Tensor xMK, ScaledMatrix rowsMK, ScaledMatrix columnsKM) {
    quantize(queue, operand, xMK, rowsMK);
    quantizeTransposed(queue, operand, xMK, columnsKM);
  }

  /** How a weight is quantized piece by piece, with the same bits; empty where that cannot be. */
  default Optional<WeightPieces> weightPieces() {
    return Optional.empty();
  }

  /** Before a weight is quantized that may have changed; always before the first one. */
  default void weightIsNew(Queue queue, Tensor wNK) {}

  /** A weight gradient has been found from these: once for each microbatch of a training, never in an evaluation. */
  default void gradientIsFound(Queue queue, Tensor dyTN, Tensor xTK) {}

  /**
   * The type in which scales travel between ranks with their codes, one that holds each of them exactly. Empty where operands
   * travel as values: where blocks of some rows are not the same whatever the other rows are, or values must be seen where the
   * products are made.
   */
  default Optional<DType> travellingScales() {
    return Optional.empty();
  }

  /**
   * As {@link io.hirundo.precision.LinearMath#trial}.
   *
   * @deprecated goes with the next major version
   */
  @Deprecated(since = "0.10")
  default void trial(boolean on) {}

  /** As {@link io.hirundo.precision.LinearMath#memory}. */
  default Optional<StepMemory> memory() {
    return Optional.empty();
  }

  /** Gives its memory back; once. */
  @Override
  default void close() {}
}
