package io.hirundo.model;

import io.hirundo.tensor.Tensor;
import java.util.List;
import org.osgi.annotation.versioning.ConsumerType;

/**
 * A block of a running model, the unit of recomputation and of pipeline stages. The backward comes in two halves, because
 * zero-bubble schedules (Qi et al. 2023, arXiv 2401.10241) run the second later.
 *
 * <p>The caller owns the block's input and output and keeps the input until {@link #backwardWeight} has returned.
 */
@ConsumerType
public interface Block {
  List<Parameter> parameters();

  /**
   * Computes the block.
   *
   * @param xTC output of the block before; null for the first
   * @param saved where activations for the backward go; null when there will be none
   * @return the output, owned by the caller; null for the last block, which adds to the loss instead
   */
  Tensor forward(StepContext context, Tensor xTC, Saved saved);

  /**
   * The first half of the backward.
   *
   * @param dyTC gradient of the output, which the block takes over and closes; null for the last block
   * @return gradient of {@code xTC}, owned by the caller; null for the first block
   */
  Tensor backwardInput(StepContext context, Tensor xTC, Tensor dyTC, Saved saved);

  /** The second half: accumulates the gradients of all parameters and empties {@code saved}. */
  void backwardWeight(StepContext context, Tensor xTC, Saved saved);

  /** Both halves at once: less is kept between them, and parallel layers can hide their messages. The same numbers, bitwise. */
  default Tensor backward(StepContext context, Tensor xTC, Tensor dyTC, Saved saved) {
    Tensor dxTC = backwardInput(context, xTC, dyTC, saved);
    backwardWeight(context, xTC, saved);
    return dxTC;
  }

  /** Logits of {@code xTC}, from the last block only; owned by the caller. */
  default Tensor logits(StepContext context, Tensor xTC) {
    throw new IllegalStateException("only the last block of a model makes logits");
  }
}
