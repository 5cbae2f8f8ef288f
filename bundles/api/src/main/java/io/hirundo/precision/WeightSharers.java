package io.hirundo.precision;

import io.hirundo.device.Queue;
import io.hirundo.tensor.Tensor;
import org.osgi.annotation.versioning.ProviderType;

/**
 * The ranks that have a part each of one layer's weight. What they find for their parts they merge into what one rank would find for
 * the whole.
 */
@FunctionalInterface
@ProviderType
public interface WeightSharers {
  /** The weight is in one piece. */
  WeightSharers NONE = (queue, magnitudes) -> {};

  /**
   * Raises largest magnitudes to those of all parts. A message between these ranks: each of them asks at the same places of its work.
   * Where a strategy is only tried on one rank they stay as they are.
   *
   * @param magnitudes FP32, of the same extents on all ranks
   */
  void agree(Queue queue, Tensor magnitudes);
}
