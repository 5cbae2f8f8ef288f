package io.hirundo.model;

import io.hirundo.model.layer.Layer;
import org.osgi.annotation.versioning.ProviderType;

/**
 * Creates running layers from declared ones. Precision and parallel strategies work here: whatever the layers do inside, they
 * compute what unsharded layers compute.
 */
@ProviderType
public interface LayerFactory {
    /**
     * The running layer of a declared one.
     *
     * @throws io.hirundo.ConfigurationException if no provider makes it run on these ranks; names the layer and the axis
     */
    <L extends Layer> L create(LayerSpec<L> spec);
}
