package io.hirundo.parallel;

import io.hirundo.mesh.Axis;
import io.hirundo.model.LayerSpec;
import io.hirundo.model.layer.Layer;
import io.hirundo.precision.Support;
import java.util.Set;
import org.osgi.annotation.versioning.ConsumerType;

/**
 * Makes the layers of one kind run. Of a kind's providers, the first is taken that communicates along all axes that the layer needs
 * ({@link Sharding#needs}): those of the tensor-parallel strategy, then those of the architecture, then the trainer's.
 *
 * @param <L> running layers
 * @param <S> declared layers
 */
@ConsumerType
public interface LayerProvider<L extends Layer, S extends LayerSpec<L>> {
    Class<S> specType();

    /** The axes along which its layers communicate. Without them, layers compute on the rank's own tokens and channels. */
    default Set<Axis> communicatesAlong() {
        return Set.of();
    }

    /** Whether it can make this layer run on the ranks of a mesh. Asked before a device is opened. */
    default Support supports(S spec, Sharding sharding) {
        return Support.YES;
    }

    /**
     * The kernel families that this layer looks up, besides those that every device has. A run is rejected before a device is opened if neither
     * the device nor a bundle has one of them.
     */
    default Set<Class<?>> kernels(S spec) {
        return Set.of();
    }

    /** The layer of one rank. The scope and what it returns belong to the trainer. */
    L create(S spec, LayerScope scope);
}
