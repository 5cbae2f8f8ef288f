package io.hirundo.model;

import java.util.List;

/**
 * A block as a model declares it.
 *
 * @param index position in the model, from 0
 * @param name for instance {@code model.layers.3}
 * @param layers in forward order
 */
public record BlockSpec(int index, String name, List<LayerSpec<?>> layers) {
    public BlockSpec {
        layers = List.copyOf(layers);
    }
}
