package io.hirundo.trainer.internal.layout;

import io.hirundo.mesh.Axis;
import io.hirundo.mesh.Mesh;
import io.hirundo.model.Dims;
import io.hirundo.parallel.Sharding;
import io.hirundo.trainer.internal.strategy.Strategies;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;

/** Which axes of a mesh split which dimensions, as the strategies say. */
public final class MeshSharding {
  private MeshSharding() {}

  public static Sharding of(Strategies.Parallel parallel, Mesh mesh) {
    Map<Axis, Integer> sizes = new EnumMap<>(Axis.class);
    for (Axis axis : Axis.values()) {
      sizes.put(axis, mesh.size(axis));
    }
    Map<String, Set<Axis>> splits = new HashMap<>();
    splits.put(Dims.SEQUENCES.name(), EnumSet.of(Axis.DATA));
    splits.put(Dims.POSITIONS.name(), EnumSet.of(Axis.CONTEXT));
    splits.put(Dims.RESIDUAL_POSITIONS.name(), EnumSet.of(Axis.CONTEXT));
    if (mesh.size(Axis.TENSOR) > 1) {
      parallel.tensor().splits().forEach(name -> splits.computeIfAbsent(name, any -> EnumSet.noneOf(Axis.class)).add(Axis.TENSOR));
    }
    return new Sharding(splits, sizes);
  }
}
