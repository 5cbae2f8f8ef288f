package io.hirundo.testkit.layer;

import io.hirundo.lib.fabric.local.LocalFabric;
import io.hirundo.mesh.Axis;
import io.hirundo.mesh.Fabric;
import io.hirundo.mesh.Mesh;
import io.hirundo.model.Dim;
import io.hirundo.model.Dims;
import io.hirundo.parallel.ContextParallel;
import io.hirundo.parallel.LayerProvider;
import io.hirundo.parallel.Sharding;
import io.hirundo.parallel.TensorParallel;
import io.hirundo.testkit.bench.OnDevice;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/** What is under test. Its device must compute in FP64. */
public interface LayerOffer extends OnDevice {
    /** After this wait for another rank, a collective fails. */
    int TIMEOUT_SECONDS = 60;

    /** The layer; the same each time. */
    LayerCase<?> layer();

    /** Who makes it run where the tensor-parallel strategy does not. */
    List<LayerProvider<?, ?>> providers();

    /**
     * A tensor-parallel strategy. The default splits the dimensions that {@code column-row} splits, and has no providers of its own.
     *
     * @param sequenceParallel whether it splits the rows of the residual stream
     */
    default TensorParallel tensorParallel(boolean sequenceParallel) {
        return new BareTensorParallel(sequenceParallel);
    }

    /** What makes attention cores over the context axis, for layers that call {@code LayerScope.attention}; others do not need it. */
    default Optional<ContextParallel> contextParallel() {
        return Optional.empty();
    }

    /** Connects ranks, which are threads; a new one each time. */
    default Fabric fabric() {
        return new LocalFabric(TIMEOUT_SECONDS);
    }

    /**
     * The axes along which some split must run, so that a test does not pass because every split is rejected. The default is the tensor,
     * context and data axes; without {@link #contextParallel}, a layer that communicates along the context axis has no such axis. A layer
     * whose provider does so without that strategy, in a group of its own, overrides this.
     */
    default Set<Axis> splits() {
        Sharding context = Sharding.of(new Mesh(new TreeMap<>(Map.of(Axis.CONTEXT, 2))), Set.of());
        boolean lacksCores = context.needs(layer().spec()).contains(Axis.CONTEXT)
                && contextParallel().isEmpty();
        return lacksCores ? EnumSet.of(Axis.TENSOR, Axis.DATA) : EnumSet.of(Axis.TENSOR, Axis.CONTEXT, Axis.DATA);
    }

    /** Sizes of the expert axis, for layers with experts. */
    default List<Integer> expertRanks() {
        return List.of();
    }

    /** Sequences of a microbatch, over all ranks: twice the largest of {@link #expertRanks}, or a multiple, because data ranks split them, too. */
    default int sequences() {
        return 2;
    }

    /** Whether its outputs depend on several positions, as its spec says. */
    default boolean mixesPositions() {
        Set<Dim> mixes = layer().spec().mixes();
        return mixes.contains(Dims.POSITIONS) || mixes.contains(Dims.RESIDUAL_POSITIONS);
    }

    /** Sizes of the tensor axis. */
    default List<Integer> tensorRanks() {
        return List.of(2, 3, 4);
    }
}
