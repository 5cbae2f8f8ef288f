package io.hirundo.trainer.internal.layer;

import io.hirundo.device.Device;
import io.hirundo.device.MemoryCategory;
import io.hirundo.device.Queue;
import io.hirundo.model.Parameter;
import io.hirundo.model.ParameterSpec;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Tensor;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The parameters of a model on one rank. Layers declare what they need while the model is built; the memory comes after
 * that, in one go, because data-parallel strategies want to lay parameters out together.
 */
public final class ParameterStore implements AutoCloseable {
  private final Map<String, StoredParameter> byName = new LinkedHashMap<>();

  /** The parameter of this name; the same one for layers that share it. */
  public Parameter declare(ParameterSpec spec) {
    var known = byName.computeIfAbsent(spec.name(), name -> new StoredParameter(spec));
    if (!known.spec.parts().equals(spec.parts())) {
      throw new IllegalArgumentException("parameter " + spec.name() + " is declared with two shapes");
    }
    return known;
  }

  /** In order of declaration. */
  public List<Parameter> all() {
    return List.copyOf(byName.values());
  }

  /** Takes memory for the weights of all that was declared. Contents are undefined until loaded or initialized. */
  public void allocateValues(Device device, DType dtype) {
    for (var parameter : byName.values()) {
      parameter.value = device.allocate(MemoryCategory.WEIGHTS, parameter.spec.shape(), dtype);
    }
  }

  /** Takes memory for the gradients; a model that only answers has none. */
  public void allocateGradients(Device device, DType dtype) {
    for (var parameter : byName.values()) {
      parameter.gradient = device.allocate(MemoryCategory.GRADIENTS, parameter.spec.shape(), dtype);
    }
  }

  public void zeroGradients(Device device, Queue queue) {
    for (var parameter : byName.values()) {
      device.kernels().elementwise().fill(queue, parameter.gradient, 0);
    }
  }

  @Override
  public void close() {
    for (var parameter : byName.values()) {
      if (parameter.gradient != null) {
        parameter.gradient.close();
      }
      if (parameter.value != null) {
        parameter.value.close();
      }
    }
    byName.clear();
  }

  private static final class StoredParameter implements Parameter {
    private final ParameterSpec spec;
    private Tensor value;
    private Tensor gradient;

    StoredParameter(ParameterSpec spec) {
      this.spec = spec;
    }

    @Override
    public ParameterSpec spec() {
      return spec;
    }

    @Override
    public Tensor value() {
      return value;
    }

    @Override
    public Tensor gradient() {
      return gradient;
    }
  }
}
