package io.hirundo.testkit.model;

import io.hirundo.model.Architecture;
import io.hirundo.parallel.LayerProvider;
import io.hirundo.testkit.bench.OnDevice;
import java.util.List;

/** What is under test. Its device must compute in FP64. */
public interface ModelOffer extends OnDevice {
    /** The smallest model that has every kind of block: some channels, one or two layers, and sequences of 4 tokens or more. */
    Architecture architecture();

    /** Who makes the layers of the API run: {@code PlainProviders.all()} of lib-transformer. Those of the architecture are asked first. */
    List<LayerProvider<?, ?>> providers();
}
