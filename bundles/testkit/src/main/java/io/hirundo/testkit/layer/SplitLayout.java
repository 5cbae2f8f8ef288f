package io.hirundo.testkit.layer;

import io.hirundo.ConfigurationException;
import io.hirundo.mesh.Axis;
import io.hirundo.mesh.Mesh;
import io.hirundo.model.Dims;
import io.hirundo.model.LayerSpec;
import io.hirundo.parallel.LayerProvider;
import io.hirundo.parallel.Sharding;
import io.hirundo.parallel.TensorParallel;
import io.hirundo.precision.Support;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** A mesh with a tensor-parallel strategy. */
record SplitLayout(Mesh mesh, TensorParallel tensor, boolean sequenceParallel) {
  static SplitLayout alone(LayerOffer offer) {
    return of(offer, 1, 1, 1, false);
  }

  /** Each axis alone, then two together. */
  static List<SplitLayout> all(LayerOffer offer) {
    var all = new ArrayList<SplitLayout>();
    for (boolean sequenceParallel : new boolean[] {false, true}) {
      offer.tensorRanks().forEach(ranks -> all.add(of(offer, ranks, 1, 1, sequenceParallel)));
      all.add(of(offer, 2, 2, 1, sequenceParallel));
      all.add(of(offer, 2, 1, 2, sequenceParallel));
    }
    all.add(of(offer, 1, 2, 1, false));
    all.add(of(offer, 1, 1, 2, false));
    return all;
  }

  private static SplitLayout of(LayerOffer offer, int tensor, int context, int data, boolean sequenceParallel) {
    var sizes = new LinkedHashMap<Axis, Integer>();
    sizes.put(Axis.TENSOR, tensor);
    sizes.put(Axis.CONTEXT, context);
    sizes.put(Axis.DATA, data);
    return new SplitLayout(new Mesh(sizes), offer.tensorParallel(sequenceParallel), sequenceParallel);
  }

  /** As the trainer splits dimensions. */
  Sharding sharding() {
    Map<String, Set<Axis>> splits = new HashMap<>();
    splits.put(Dims.SEQUENCES.name(), EnumSet.of(Axis.DATA));
    splits.put(Dims.POSITIONS.name(), EnumSet.of(Axis.CONTEXT));
    splits.put(Dims.RESIDUAL_POSITIONS.name(), EnumSet.of(Axis.CONTEXT));
    if (mesh.size(Axis.TENSOR) > 1) {
      tensor.splits().forEach(name -> splits.computeIfAbsent(name, any -> EnumSet.noneOf(Axis.class)).add(Axis.TENSOR));
    }
    return new Sharding(splits, mesh.sizes());
  }

  /** The axes of more than one rank. */
  Set<Axis> axes() {
    Set<Axis> axes = EnumSet.noneOf(Axis.class);
    mesh.sizes().forEach((axis, ranks) -> axes.addAll(ranks > 1 ? Set.of(axis) : Set.of()));
    return axes;
  }

  /** Who makes the layer run, as the trainer chooses; empty where the trainer rejects the layout. */
  Optional<LayerProvider<?, ?>> provider(LayerOffer offer) {
    LayerSpec<?> spec = offer.layer().spec();
    Sharding sharding = sharding();
    try {
      sharding.checkExtents(spec);
      tensor.residualTokens(SplitRows.TOKENS / (mesh.size(Axis.CONTEXT) * mesh.size(Axis.DATA)), mesh.size(Axis.TENSOR));
    } catch (ConfigurationException rejected) {
      return Optional.empty();
    }
    return candidates(offer)
        .stream()
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
    providers.removeIf(provider -> !provider.specType().isInstance(offer.layer().spec()));
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
