package io.hirundo.precision;

import io.hirundo.tensor.Tensor;
import java.util.List;

/**
 * A weight as {@link WeightCoding} makes it. The tensors are somebody else's.
 *
 * @param magnitudes of all ranks
 * @param runs of its elements, which together are all
 */
public record CodedWeight(Tensor magnitudes, List<Run> runs) {
  /**
   * Codes of elements that follow each other.
   *
   * @param firstElement where they begin in the weight
   */
  public record Run(long firstElement, Tensor codes) {}

  public CodedWeight {
    runs = List.copyOf(runs);
  }
}
