package io.hirundo.model;

import io.hirundo.tensor.Tensor;
import org.osgi.annotation.versioning.ProviderType;

/** A parameter of a running model. Its tensors are the trainer's, and may move between steps: ask each time. */
@ProviderType
public interface Parameter {
  ParameterSpec spec();

  /** The weight, in the precision strategy's parameter type. */
  Tensor value();

  /** The gradient, accumulated over the microbatches of a step; zeroed by the trainer. */
  Tensor gradient();
}
