package io.hirundo.model;

import java.util.List;

/**
 * A block as a model declares it.
 *
 * @param index place in the model, from 0
 * @param name {@code model.layers.3} for instance
 * @param layers its layers in the order of the forward
 */
public record BlockSpec(int index, String name, List<LayerSpec> layers) {
  public BlockSpec {
    layers = List.copyOf(layers);
  }
}
