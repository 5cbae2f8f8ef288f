package io.hirundo.paralleldp.internal;

import io.hirundo.model.Parameter;
import io.hirundo.model.ParameterSpec;
import io.hirundo.tensor.Shape;
import io.hirundo.tensor.Tensor;

/**
 * A window on a bucket: a parameter in its shape, or a run of its elements as a vector.
 *
 * @param firstOfBucket where the window begins in the bucket
 * @param firstElement where it begins in the parameter
 */
record BucketedParameter(ParameterSpec spec, Bucket bucket, long firstOfBucket, long firstElement, Shape shape)
    implements Parameter {
  @Override
  public Tensor value() {
    return bucket.weights().view(firstOfBucket, shape);
  }

  @Override
  public Tensor gradient() {
    return bucket.gradients().view(firstOfBucket, shape);
  }
}
