package io.hirundo.model;

import io.hirundo.device.Device;
import io.hirundo.device.Queue;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Shape;
import io.hirundo.tensor.Tensor;
import org.osgi.annotation.versioning.ProviderType;

/** What a layer needs to know of the step it works in. */
@ProviderType
public interface StepContext {
  Device device();

  Queue queue();

  MicroBatch batch();

  Recompute recompute();

  /** FP64 accumulator of one element. */
  Tensor lossSum();

  /** What a token's gradient is multiplied with: one over the step's global number of tokens that count. */
  double gradientScale();

  /** The precision strategy's activation type. */
  DType activationType();

  /** A tensor of that type for activations; the caller owns it. */
  Tensor allocate(Shape shape);

  /** FP32 statistics of an activation (FP64 where activations are FP64); the caller owns it. */
  Tensor allocateStatistics(Shape shape);
}
