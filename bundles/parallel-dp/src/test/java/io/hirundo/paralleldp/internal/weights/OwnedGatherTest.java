package io.hirundo.paralleldp.internal.weights;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.device.MemoryCategory;
import io.hirundo.devicecpu.internal.tensor.CpuTensor;
import io.hirundo.model.parameter.Parameter;
import io.hirundo.model.parameter.ParameterSpec;
import io.hirundo.optimizer.Ownership;
import io.hirundo.parallel.DataParallel;
import io.hirundo.parallel.ShardedParameters;
import io.hirundo.paralleldp.internal.fixture.LocalNetwork;
import io.hirundo.paralleldp.internal.fixture.Model;
import io.hirundo.paralleldp.internal.fixture.ThreadRanks;
import io.hirundo.paralleldp.internal.fsdp.FsdpFactory;
import io.hirundo.paralleldp.internal.fsdp.FsdpOptions;
import io.hirundo.paralleldp.internal.fsdp.Zero2Factory;
import io.hirundo.paralleldp.internal.fsdp.Zero2Options;
import io.hirundo.paralleldp.internal.zero1.Zero1Factory;
import io.hirundo.paralleldp.internal.zero1.Zero1Options;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Shape;
import io.hirundo.tensor.Tensor;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Every rank sees every element of tensors that are sharded as the masters are, bitwise. */
class OwnedGatherTest {
  private static final List<DataParallel> STRATEGIES =
      List.of(
          new Zero1Factory().create(new Zero1Options()),
          new Zero1Factory().create(new Zero1Options(380, true, true, true)),
          new Zero2Factory().create(new Zero2Options()),
          new FsdpFactory().create(new FsdpOptions()));

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 4})
  void gathersMastersAndTensorsLikeThem(int ranks) throws Exception {
    for (DataParallel strategy : STRATEGIES) {
      gathers(ranks, strategy, spec -> Ownership.ELEMENTS);
      gathers(ranks, strategy, spec -> spec.isMatrix() ? Ownership.TENSOR : Ownership.ELEMENTS);
    }
  }

  private static void gathers(int ranks, DataParallel strategy, Function<ParameterSpec, Ownership> ownership) throws Exception {
    for (Map<String, DType> types : List.of(Map.<String, DType>of(), Map.of("up.0", DType.BF16))) {
      ThreadRanks.run(
          ranks,
          new LocalNetwork(ranks),
          rank -> {
            var moments = new HashMap<String, Tensor>();
            try (ShardedParameters parameters = strategy.bind(rank.device(), rank.group(), Model.BLOCKS, DType.FP32, ownership)) {
              parameters.hold(types);
              for (Parameter run : parameters.owned()) {
                long elements = run.value().elements();
                var moment = (CpuTensor) rank.device().allocate(MemoryCategory.OPTIMIZER, Shape.of(elements), DType.FP32);
                for (long i = 0; i < elements; i++) {
                  ((CpuTensor) run.value()).setDouble(i, value(run.spec().name(), run.firstElement() + i, 0));
                  moment.setDouble(i, value(run.spec().name(), run.firstElement() + i, 1));
                }
                moments.put(run.spec().name(), moment);
              }
              assertTrue(parameters.isMovable());
              Set<String> seen = new HashSet<>();
              parameters.gatherOwned(
                  rank.queue(), DType.FP32, Parameter::value, (name, whole) -> seen.add(check(name, whole, 0)));
              parameters.gatherOwned(
                  rank.queue(), DType.FP32, run -> moments.get(run.spec().name()), (name, whole) -> seen.add(check(name, whole, 1)));
              assertEquals(8, seen.size(), seen::toString);
              assertEquals(0, rank.books().live(MemoryCategory.COMMUNICATION));
            } finally {
              moments.values().forEach(Tensor::close);
            }
            return null;
          });
    }
  }

  private static String check(String name, Tensor whole, int which) {
    long elements = Model.BLOCKS.stream().flatMap(List::stream).filter(spec -> spec.name().equals(name)).findFirst().orElseThrow().shape().elements();
    assertEquals(elements, whole.elements(), name);
    for (long i = 0; i < elements; i++) {
      assertEquals(value(name, i, which), ((CpuTensor) whole).getDouble(i), name);
    }
    return name;
  }

  private static float value(String name, long element, int which) {
    return (float) Model.gradient(name, element, which, 3);
  }
}
