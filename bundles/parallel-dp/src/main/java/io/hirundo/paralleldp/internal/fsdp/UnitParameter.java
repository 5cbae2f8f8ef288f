package io.hirundo.paralleldp.internal.fsdp;

import io.hirundo.model.Parameter;
import io.hirundo.model.ParameterSpec;
import io.hirundo.paralleldp.internal.layout.BucketLayout;
import io.hirundo.precision.CodedWeight;
import io.hirundo.tensor.Shape;
import io.hirundo.tensor.Tensor;
import java.util.Optional;

/** A parameter of a unit in its shape, there while the unit is whole. */
record UnitParameter(ParameterSpec spec, Unit unit, BucketLayout.Place place) implements Parameter {
  @Override
  public Tensor value() {
    return unit.weights().whole(place, spec.name()).view(0, spec.shape());
  }

  @Override
  public Tensor gradient() {
    return unit.gradients().whole(spec.name()).view(place.first(), spec.shape());
  }

  /** As it has come. */
  Optional<CodedWeight> coded() {
    return unit.weights().coded(place, spec.name());
  }

  /**
   * A run of a parameter's elements in this rank's slice of a unit, there always: its masters.
   *
   * @param firstOfSlice where it begins in the slice
   * @param firstElement where it begins in the parameter
   */
  record Run(ParameterSpec spec, Unit unit, long firstOfSlice, long firstElement, long elements) implements Parameter {
    @Override
    public Tensor value() {
      return unit.weights().masters().view(firstOfSlice, Shape.of(elements));
    }

    @Override
    public Tensor gradient() {
      return unit.gradients().slice().view(firstOfSlice, Shape.of(elements));
    }
  }
}
