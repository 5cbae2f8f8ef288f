package io.hirundo.precision;

import io.hirundo.device.Queue;
import io.hirundo.tensor.Tensor;
import org.osgi.annotation.versioning.ConsumerType;

/**
 * What the products of one layer remember from one step to the next. Ranks that have parts of the same layer, or see other tokens
 * of it, remember the same: of what each has found in a step the largest counts for all. So a checkpoint holds it once, for any
 * layout. Closes with its {@link LinearMath}, to whose thread it belongs.
 */
@ConsumerType
public interface StepMemory {
  /** What it is, as a part of a checkpoint's key: {@code amax-1024}. The same in every layout; of another name nothing is taken. */
  String name();

  /** What was found in the present step: FP32, one extent, the same on all ranks; lent. Becomes what was found by any of them. */
  Tensor present();

  /** The gradients of a step have been found, on all ranks: what is {@link #present} counts from now on. */
  void endStep(Queue queue);

  /**
   * What gradients of the present step were found from is forgotten, as if none had been: what was computed since the last {@link
   * #endStep} was tried and is not learned from. The weight that was prepared counts all the same.
   */
  default void discard() {}

  /** All that is remembered, between two steps: FP32, of a shape that follows from {@link #name}; lent until the next step. */
  Tensor state(Queue queue);

  /** What the {@link #state} of another was has been copied to this one's; goes on from there. Waits for the queue. */
  void restored(Queue queue);
}
