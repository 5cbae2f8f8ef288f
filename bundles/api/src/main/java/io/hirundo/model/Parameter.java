package io.hirundo.model;

import io.hirundo.tensor.Tensor;
import org.osgi.annotation.versioning.ConsumerType;

/**
 * A parameter of a running model, or a run of its elements. Its tensors belong to the data-parallel strategy and may move:
 * ask each time.
 */
@ConsumerType
public interface Parameter {
  /** The whole parameter, as this rank holds it. */
  ParameterSpec spec();

  /**
   * Where the tensors begin, in elements of the parameter read row by row: not 0 only for runs, which are vectors whatever
   * the parameter is.
   */
  default long firstElement() {
    return 0;
  }

  /** The weight, in the precision strategy's parameter type. */
  Tensor value();

  /** The gradient, accumulated over the microbatches of a step; zeroed by the trainer. */
  Tensor gradient();
}
