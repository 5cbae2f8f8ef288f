package io.hirundo.paralleldp.internal.fsdp;

import io.hirundo.device.Device;
import io.hirundo.device.Queue;
import io.hirundo.mesh.ProcessGroup;
import io.hirundo.model.ParameterPart;
import io.hirundo.model.ParameterSpec;
import io.hirundo.model.Replicas;
import io.hirundo.parallel.DataParallel;
import io.hirundo.parallel.ShardedParameters;
import io.hirundo.paralleldp.internal.layout.BlockParameters;
import io.hirundo.paralleldp.internal.layout.BucketLayout;
import io.hirundo.tensor.DType;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Full sharding, ZeRO's third stage (Rajbhandari et al. 2020, arXiv 1910.02054; Zhao et al. 2023, arXiv 2304.11277): every rank
 * keeps a slice of the weights and gradients of each block, and has them whole only while the block works.
 */
final class Fsdp implements DataParallel {
  private final FsdpOptions options;

  Fsdp(FsdpOptions options) {
    this.options = options;
  }

  @Override
  public ShardedParameters bind(
      Device device, ProcessGroup group, List<List<ParameterSpec>> blocks, DType parameterType) {
    BlockParameters declared = BlockParameters.of(blocks);
    List<Long> elements = declared.specs().stream().map(spec -> spec.shape().elements()).toList();
    var units = new ArrayList<Unit>();
    try (Queue queue = device.newQueue("memory of parameters")) {
      for (List<Integer> parameters : together(declared)) {
        BucketLayout layout = BucketLayout.packed(parameters, elements, group.size());
        List<ParameterSpec> specs = parameters.stream().map(declared.specs()::get).toList();
        var weights = new UnitWeights(device, queue, group, layout, parameterType);
        units.add(new Unit(specs, layout, weights, new UnitGradients(device, group, layout, parameterType, specs)));
      }
      queue.drain();
    } catch (RuntimeException e) {
      units.forEach(Unit::close);
      throw e;
    }
    return new FsdpParameters(device, declared, units, group, options);
  }

  @Override
  public Optional<Runnable> takeOver(ShardedParameters present) {
    return present instanceof FsdpParameters mine
        ? Optional.of(() -> mine.goOnWith(options))
        : Optional.empty();
  }

  /**
   * What parameters have in common that are needed, and complete, at the same time.
   *
   * @param blocks that have them
   * @param summands the ranks, besides those of the group, that each find a part of a gradient: another pipeline stage may find
   *     its part much later
   */
  private record Fate(List<Integer> blocks, Set<List<Integer>> summands) {}

  private static Collection<List<Integer>> together(BlockParameters declared) {
    var blocksOf = new LinkedHashMap<Integer, List<Integer>>();
    for (int block = 0; block < declared.ofBlock().size(); block++) {
      for (int parameter : declared.ofBlock().get(block)) {
        blocksOf.computeIfAbsent(parameter, unknown -> new ArrayList<>()).add(block);
      }
    }
    var byFate = new LinkedHashMap<Fate, List<Integer>>();
    blocksOf.forEach(
        (parameter, blocks) -> {
          var fate = new Fate(blocks, summands(declared.specs().get(parameter)));
          byFate.computeIfAbsent(fate, unknown -> new ArrayList<>()).add(parameter);
        });
    return byFate.values();
  }

  private static Set<List<Integer>> summands(ParameterSpec spec) {
    return spec.parts().stream()
        .map(ParameterPart::replicas)
        .filter(Replicas::partialGradients)
        .map(Replicas::ranks)
        .collect(Collectors.toSet());
  }
}
