package io.hirundo.testkit.layer;

import io.hirundo.ConfigurationException;
import io.hirundo.mesh.Axis;
import io.hirundo.mesh.Mesh;
import io.hirundo.model.LayerSpec;
import io.hirundo.parallel.LayerProvider;
import io.hirundo.parallel.Sharding;
import io.hirundo.parallel.TensorParallel;
import io.hirundo.precision.Support;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * A mesh with a tensor-parallel strategy.
 *
 * @param sequences of a microbatch, over all ranks
 */
record SplitLayout(Mesh mesh, TensorParallel tensor, boolean sequenceParallel, int sequences) {
    SplitLayout {
        int ranks = mesh.size(Axis.EXPERT) * mesh.size(Axis.DATA);
        if (sequences % ranks != 0) {
            throw new AssertionError("sequences() is " + sequences + " (allowed: multiples of " + ranks
                    + ", ranks of the data and expert axes)");
        }
    }

    static SplitLayout alone(LayerOffer offer) {
        return of(offer, sizes(1, 1, 1, 1), false);
    }

    /** Each axis alone, then two together. */
    static List<SplitLayout> all(LayerOffer offer) {
        var all = new ArrayList<SplitLayout>();
        for (boolean sequenceParallel : new boolean[] {false, true}) {
            offer.tensorRanks().forEach(ranks -> all.add(of(offer, sizes(ranks, 1, 1, 1), sequenceParallel)));
            all.add(of(offer, sizes(2, 2, 1, 1), sequenceParallel));
            all.add(of(offer, sizes(2, 1, 1, 2), sequenceParallel));
        }
        all.add(of(offer, sizes(1, 2, 1, 1), false));
        all.add(of(offer, sizes(1, 1, 1, 2), false));
        for (int experts : offer.expertRanks()) {
            all.add(of(offer, sizes(1, 1, experts, 1), false));
            all.add(of(offer, sizes(1, 1, experts, 2), false));
            all.add(of(offer, sizes(2, 1, experts, 1), false));
        }
        return all;
    }

    private static Mesh sizes(int tensor, int context, int expert, int data) {
        var sizes = new LinkedHashMap<Axis, Integer>();
        sizes.put(Axis.TENSOR, tensor);
        sizes.put(Axis.CONTEXT, context);
        sizes.put(Axis.EXPERT, expert);
        sizes.put(Axis.DATA, data);
        return new Mesh(sizes);
    }

    private static SplitLayout of(LayerOffer offer, Mesh mesh, boolean sequenceParallel) {
        return new SplitLayout(mesh, offer.tensorParallel(sequenceParallel), sequenceParallel, offer.sequences());
    }

    /** Tokens of a microbatch, over all ranks. */
    int tokens() {
        return sequences * SplitRows.SEQUENCE_TOKENS;
    }

    /** As the trainer splits dimensions. */
    Sharding sharding() {
        return Sharding.of(mesh, mesh.size(Axis.TENSOR) > 1 ? tensor.splits() : Set.of());
    }

    /** The axes of more than one rank. */
    Set<Axis> axes() {
        Set<Axis> axes = EnumSet.noneOf(Axis.class);
        mesh.sizes().forEach((axis, ranks) -> axes.addAll(ranks > 1 ? Set.of(axis) : Set.of()));
        return axes;
    }

    /** Whether the layer communicates along the context axis, through a context-parallel strategy that the test does not have. */
    boolean lacksContextParallel(LayerOffer offer) {
        return sharding().needs(offer.layer().spec()).contains(Axis.CONTEXT)
                && offer.contextParallel().isEmpty()
                && !offer.splits().contains(Axis.CONTEXT);
    }

    /** Who makes the layer run, as the trainer chooses; empty where the trainer rejects the layout. */
    Optional<LayerProvider<?, ?>> provider(LayerOffer offer) {
        if (lacksContextParallel(offer)) {
            return Optional.empty();
        }
        LayerSpec<?> spec = offer.layer().spec();
        Sharding sharding = sharding();
        try {
            sharding.checkExtents(spec);
            tensor.residualTokens((long) tokens() * mesh.size(Axis.TENSOR) / mesh.ranks(), mesh.size(Axis.TENSOR));
        } catch (ConfigurationException rejected) {
            return Optional.empty();
        }
        return candidates(offer).stream()
                .filter(provider -> provider.communicatesAlong().containsAll(sharding.needs(spec)))
                .filter(provider -> support(provider, spec).supported())
                .findFirst();
    }

    /** The providers of the kind, in the order in which the trainer asks them. */
    List<LayerProvider<?, ?>> candidates(LayerOffer offer) {
        var providers = new ArrayList<LayerProvider<?, ?>>();
        if (mesh.size(Axis.TENSOR) > 1) {
            providers.addAll(tensor.providers());
        }
        providers.addAll(offer.providers());
        providers.removeIf(
                provider -> !provider.specType().isInstance(offer.layer().spec()));
        return providers;
    }

    @SuppressWarnings("unchecked")
    <S extends LayerSpec<?>> Support support(LayerProvider<?, ?> provider, S spec) {
        return ((LayerProvider<?, ? super LayerSpec<?>>) (LayerProvider<?, ?>) provider).supports(spec, sharding());
    }

    /** As in {@code tensor 2, data 2, sequence-parallel}. */
    @Override
    public String toString() {
        var words = new ArrayList<String>();
        axes().forEach(axis -> words.add(Sharding.setting(axis) + " " + mesh.size(axis)));
        if (words.isEmpty()) {
            return "one rank";
        }
        return String.join(", ", words) + (sequenceParallel ? ", sequence-parallel" : "");
    }
}
