package io.hirundo.testkit.trial;

import io.hirundo.tensor.Tensor;

/** A function of tensors whose gradient is under test. */
public interface Objective {
  double objective();

  double[] read(Tensor tensor);

  void write(Tensor tensor, double[] values);
}
