package io.hirundo.precision;

import io.hirundo.device.Queue;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Shape;
import io.hirundo.tensor.Tensor;
import org.osgi.annotation.versioning.ConsumerType;

/**
 * How a weight travels in fewer bytes between ranks that have a run of its elements each: they merge the largest magnitudes that
 * they find, make codes of their runs with those of all, and send the codes. What is prepared from them is bit for bit what {@link
 * LinearMath#prepare} makes of the whole weight. Belongs to the {@link LinearMath} that has it, and to its thread.
 */
@ConsumerType
public interface WeightCoding {
  /** Type of the codes, of which every element has one. */
  DType codeType();

  /** Extents of the magnitudes, which are FP32. */
  Shape magnitudes();

  /**
   * Raises magnitudes to those of a run. They begin as 0, and the larger ones of two ranks hold for both.
   *
   * @param run elements that follow each other, of the weight read row by row
   * @param firstElement where they begin
   */
  void measure(Queue queue, Tensor run, long firstElement, Tensor magnitudes);

  /** Makes the codes of a run, with the magnitudes of all. */
  void encode(Queue queue, Tensor run, long firstElement, Tensor magnitudes, Tensor codes);

  /**
   * As {@link LinearMath#prepare}.
   *
   * @param reuse what this or that has returned before, to be overwritten; or null
   * @return refers to nothing of what it is made of
   */
  PreparedWeight prepare(Queue queue, CodedWeight weight, PreparedWeight reuse);
}
