package io.hirundo.paralleldp.internal;

import io.hirundo.model.Parameter;
import io.hirundo.model.ParameterSpec;
import io.hirundo.tensor.Shape;
import io.hirundo.tensor.Tensor;

/** A parameter of a unit in its shape, there while the unit is whole. */
record UnitParameter(ParameterSpec spec, Unit unit, long firstOfUnit) implements Parameter {
  @Override
  public Tensor value() {
    return unit.weights().whole(spec.name()).view(firstOfUnit, spec.shape());
  }

  @Override
  public Tensor gradient() {
    return unit.gradients().whole(spec.name()).view(firstOfUnit, spec.shape());
  }

  /**
   * A run of a parameter's elements in this rank's slice of a unit, there always.
   *
   * @param firstOfSlice where it begins in the slice
   * @param firstElement where it begins in the parameter
   */
  record Run(ParameterSpec spec, Unit unit, long firstOfSlice, long firstElement, long elements) implements Parameter {
    @Override
    public Tensor value() {
      return unit.weights().slice().view(firstOfSlice, Shape.of(elements));
    }

    @Override
    public Tensor gradient() {
      return unit.gradients().slice().view(firstOfSlice, Shape.of(elements));
    }
  }
}
