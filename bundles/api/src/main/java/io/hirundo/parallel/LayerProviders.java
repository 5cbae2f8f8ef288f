package io.hirundo.parallel;

import java.util.List;
import org.osgi.annotation.versioning.ConsumerType;

/**
 * Brings providers of layers. An {@code io.hirundo.model.Architecture} with layer kinds of its own also implements this;
 * every {@link TensorParallel} does.
 */
@ConsumerType
public interface LayerProviders {
    List<LayerProvider<?, ?>> providers();
}
