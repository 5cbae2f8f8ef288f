package io.hirundo.paralleldp.internal.zero1;

import io.hirundo.model.Parameter;
import io.hirundo.model.ParameterSpec;
import io.hirundo.paralleldp.internal.layout.BucketLayout;
import io.hirundo.precision.CodedWeight;
import io.hirundo.tensor.Shape;
import io.hirundo.tensor.Tensor;
import java.util.Optional;

/** A parameter of a bucket in its shape. */
record BucketedParameter(ParameterSpec spec, Bucket bucket, BucketLayout.Place place) implements Parameter {
  @Override
  public Tensor value() {
    return bucket.weights().whole(place, spec.name()).view(0, spec.shape());
  }

  @Override
  public Tensor gradient() {
    return bucket.gradients().view(place.first(), spec.shape());
  }

  /** As it has come. */
  Optional<CodedWeight> coded() {
    return bucket.weights().coded(place, spec.name());
  }

  /**
   * A run of a parameter's elements in this rank's slice of a bucket: its masters.
   *
   * @param firstOfSlice where it begins in the slice
   * @param firstOfBucket where it begins in the bucket
   * @param firstElement where it begins in the parameter
   */
  record Run(ParameterSpec spec, Bucket bucket, long firstOfSlice, long firstOfBucket, long firstElement, long elements)
      implements Parameter {
    @Override
    public Tensor value() {
      return bucket.weights().masters().view(firstOfSlice, Shape.of(elements));
    }

    @Override
    public Tensor gradient() {
      return bucket.gradients().view(firstOfBucket, Shape.of(elements));
    }
  }
}
