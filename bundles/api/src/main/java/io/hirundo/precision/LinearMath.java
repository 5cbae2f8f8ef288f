package io.hirundo.precision;

import io.hirundo.device.Queue;
import io.hirundo.tensor.Tensor;
import java.util.Optional;
import org.osgi.annotation.versioning.ConsumerType;

/**
 * The three matrix products of one linear layer {@code y = x wᵀ}. Suffixes as in {@code io.hirundo.kernel.Kernels}. The same
 * operands give the same bits; what is not a number stays one. Belongs to one thread. {@code
 * io.hirundo.testkit.PrecisionContract} tests all of this.
 */
@ConsumerType
public interface LinearMath extends AutoCloseable {
  /**
   * Prepares a weight for the products, once per optimizer step.
   *
   * @param reuse what an earlier call returned, to be overwritten; or null
   * @return owned by the caller; may refer to {@code wNK}, which must outlive it
   * @throws IllegalArgumentException for a weight of another shape or type; names the layer
   */
  PreparedWeight prepare(Queue queue, Tensor wNK, PreparedWeight reuse);

  /** {@code y = x wᵀ}. */
  void forward(Queue queue, Tensor xTK, PreparedWeight weight, Tensor yTN);

  /** {@code dx = dy w}. */
  void inputGradient(Queue queue, Tensor dyTN, PreparedWeight weight, Tensor dxTK);

  /** {@code dw += dyᵀ x}. */
  void weightGradient(Queue queue, Tensor dyTN, Tensor xTK, Tensor dwNK);

  /**
   * Both gradients, with the bits of {@link #inputGradient} and {@link #weightGradient}, which this calls. To be overridden where
   * both can be had from one reading of dy.
   *
   * @param dyTN to be left as it is until the answer is closed, as {@code weight} and {@code dwNK}
   * @param dwNK what the gradient of the weight is added to
   */
  default GradientPair gradients(Queue queue, Tensor dyTN, PreparedWeight weight, Tensor dwNK) {
    return GradientPair.oneByOne(
        dxTK -> inputGradient(queue, dyTN, weight, dxTK),
        xTK -> weightGradient(queue, dyTN, xTK, dwNK),
        x -> packed().orElseThrow().weightGradient(queue, dyTN, x, dwNK));
  }

  /**
   * How ranks that have a part of the weight each can send what the products read in its place. Empty where that is the weight
   * itself, or follows from more than the weight.
   */
  default Optional<WeightCoding> coding() {
    return Optional.empty();
  }

  /**
   * What a product multiplies in the place of an operand that is no weight, so that the product can be checked on the very values
   * that it was made of: rounding is one error, wrong arithmetic another. Changes nothing. To be overridden where the operand is
   * rounded; as it is, it is multiplied as it is stored.
   *
   * @param operand one of {@code product}
   * @param x x or dy, as the product has it
   * @return as the product has it in the present step
   */
  default MultipliedOperand multiplied(Queue queue, LinearProduct product, Operand operand, Tensor x) {
    return MultipliedOperand.stored(x, product.contractsLast(operand));
  }

  /**
   * The same for the weight; empty where that is multiplied as it is stored.
   *
   * @param product {@link LinearProduct#OUTPUT} or {@link LinearProduct#INPUT_GRADIENT}
   * @param weight from {@link #prepare}
   */
  default Optional<MultipliedOperand> multiplied(LinearProduct product, PreparedWeight weight) {
    return Optional.empty();
  }

  /**
   * Nobody calls this any more: what is tried is like a step, and then {@link StepMemory#discard discarded}.
   *
   * @deprecated goes with the next major version
   */
  @Deprecated(since = "0.10")
  default void trial(boolean on) {}

  /**
   * What is lost where an operand is rounded before the products of the present step, as the forward and the input gradient see
   * it; empty where operands are not rounded. Changes nothing. Waits for the queue: for looking, not for every step.
   *
   * @param x the operand: x or dy as the products have it, or the weight that was prepared last
   */
  default Optional<RoundingLoss> roundingLoss(Queue queue, Operand operand, Tensor x) {
    return Optional.empty();
  }

  /** Whether {@link #roundingLoss} tells something, of any operand; may be asked before the first product. */
  default boolean roundsOperands() {
    return false;
  }

  /** What is remembered from one step to the next; empty where the products of a step do not depend on earlier ones. */
  default Optional<StepMemory> memory() {
    return Optional.empty();
  }

  /**
   * The same products with operands that travel between ranks in another form than as values, a smaller one. The answer may be
   * another one at another time; ranks that ask at the same place of a step are answered alike.
   */
  default Optional<PackedProducts> packed() {
    return Optional.empty();
  }

  /** Gives its memory back. Closing again does nothing; later use is an {@link IllegalStateException}. */
  @Override
  void close();
}
