package io.hirundo.paralleldp.internal.zero1;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.device.Event;
import io.hirundo.devicecpu.internal.tensor.CpuTensor;
import io.hirundo.mesh.Pending;
import io.hirundo.model.parameter.Parameter;
import io.hirundo.parallel.ShardedParameters;
import io.hirundo.paralleldp.internal.fixture.LocalNetwork;
import io.hirundo.paralleldp.internal.fixture.Model;
import io.hirundo.paralleldp.internal.fixture.Network;
import io.hirundo.paralleldp.internal.fixture.ThreadRanks.Rank;
import io.hirundo.paralleldp.internal.fixture.ThreadRanks;
import io.hirundo.paralleldp.internal.fixture.Wire;
import io.hirundo.schedule.Action.Kind;
import io.hirundo.tensor.DType;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What ranks send each other, and when. */
class Zero1Test {
  private static final Zero1Options SMALL = new Zero1Options(400, true, true, true);

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 4, 8})
  void sumsGradientsAndGathersWeightsOverSeveralSteps(int ranks) throws Exception {
    train(ranks, new Wire(ranks));
    train(ranks, new LocalNetwork(ranks));
  }

  private static void train(int ranks, Network network) throws Exception {
    ThreadRanks.run(
        ranks,
        network,
        rank -> {
          try (ShardedParameters parameters = bind(rank, SMALL)) {
            parameters.allocateGradients();
            for (int step = 0; step < 3; step++) {
              Model.step(parameters, rank, step);
              requireSums(parameters, ranks, step);
            }
            return null;
          }
        });
  }

  @ParameterizedTest
  @ValueSource(ints = {2, 3})
  void overlapChangesNoBitOfAnything(int ranks) throws Exception {
    var results = new ArrayList<List<List<Double>>>();
    for (int kind = 0; kind < 4; kind++) {
      var options = new Zero1Options(400, (kind & 1) == 1, (kind & 2) == 2, true);
      results.add(
          ThreadRanks.run(
              ranks,
              new Wire(ranks),
              rank -> {
                try (ShardedParameters parameters = bind(rank, options)) {
                  parameters.allocateGradients();
                  var found = new ArrayList<Double>();
                  for (int step = 0; step < 2; step++) {
                    Model.step(parameters, rank, step);
                    found.addAll(Model.ownedGradients(parameters));
                  }
                  return found;
                }
              }));
    }
    for (var other : results) {
      assertEquals(results.getFirst(), other);
    }
  }

  @Test
  void reduceScattersStartDuringTheBackwardAndGathersAreSequential() throws Exception {
    // Buckets from behind: norm, down.1 (384); up.1, norm.1 (384); down.0, up.0 (744); norm.0 and the embedding (456).
    var overlapped = new Wire(2);
    oneStep(overlapped, new Zero1Options(380, true, true, true));
    var afterwards = new Wire(2);
    oneStep(afterwards, new Zero1Options(380, false, false, true));

    assertEquals(
        List.of(
            "all-gather 512", "all-gather 768", "all-gather 384", "all-gather 384",
            "reduce-scatter 384", "reduce-scatter 384", "reduce-scatter 768", "reduce-scatter 512"),
        overlapped.log());
    assertEquals(overlapped.log(), afterwards.log());
  }

  @Test
  void sendsABucketOnceItsLastParameterIsReady() throws Exception {
    var shared = new Wire(2);
    ThreadRanks.run(
        2,
        shared,
        rank -> {
          try (ShardedParameters parameters = bind(rank, new Zero1Options(380, true, true, true))) {
            parameters.allocateGradients();
            parameters.zeroGradients(rank.queue());
            ready(parameters, rank, "norm");
            assertEquals(0, shared.joined(rank.group()));
            var before = new AtomicInteger();
            Pending first = () -> counted(before);
            parameters.gradientReady(rank.queue(), Model.named(parameters, "down.1"), List.of(first, first));
            assertEquals(2, before.get(), "what must come before has been waited for");
            assertEquals(1, shared.joined(rank.group()));
            assertThrows(IllegalStateException.class, () -> ready(parameters, rank, "norm"));
            var missing = assertThrows(IllegalStateException.class, () -> parameters.finishGradients(rank.queue()));
            assertTrue(missing.getMessage().contains("up.1"), missing.getMessage());
            return null;
          }
        });
  }

  @Test
  void reportsNewWeightsToEachBlockOnce() throws Exception {
    ThreadRanks.run(
        2,
        new Wire(2),
        rank -> {
          try (ShardedParameters parameters = bind(rank, SMALL)) {
            Model.setOwned(parameters, 0);
            parameters.weightsChanged(rank.queue());
            assertTrue(parameters.before(rank.queue(), 0, Kind.FORWARD));
            assertFalse(parameters.before(rank.queue(), 0, Kind.BACKWARD_INPUT));
            assertTrue(parameters.before(rank.queue(), 3, Kind.FORWARD));
            Model.setOwned(parameters, 1);
            parameters.weightsChanged(rank.queue());
            Model.setOwned(parameters, 2);
            parameters.weightsChanged(rank.queue());
            assertTrue(parameters.before(rank.queue(), 0, Kind.FORWARD));
            Model.requireWeights(parameters, 0, 2);
            return null;
          }
        });
  }

  @Test
  void oneRankSendsNothing() throws Exception {
    var wire = new Wire(1);
    oneStep(wire, SMALL);
    assertEquals(List.of(), wire.log());
  }

  private static Event counted(AtomicInteger waits) {
    return new Event() {
      @Override
      public boolean hasHappened() {
        return false;
      }

      @Override
      public void await() {
        waits.incrementAndGet();
      }
    };
  }

  static ShardedParameters bind(Rank rank, Zero1Options options) {
    ShardedParameters parameters = new Zero1Factory().create(options).bind(rank.device(), rank.group(), Model.BLOCKS, DType.FP64);
    parameters.hold(Map.of());
    return parameters;
  }

  private static void oneStep(Wire wire, Zero1Options options) throws Exception {
    ThreadRanks.run(
        wire.ranks(),
        wire,
        rank -> {
          try (ShardedParameters parameters = bind(rank, options)) {
            parameters.allocateGradients();
            Model.step(parameters, rank, 0);
            return null;
          }
        });
  }

  private static void requireSums(ShardedParameters parameters, int ranks, int step) {
    for (Parameter run : parameters.owned()) {
      var gradient = (CpuTensor) run.gradient();
      for (long i = 0; i < gradient.elements(); i++) {
        long element = run.firstElement() + i;
        double sum =
            IntStream.range(0, ranks)
                .mapToDouble(rank -> Model.gradient(run.spec().name(), element, rank, step))
                .sum();
        assertEquals(sum, gradient.getDouble(i), 1e-13, run.spec().name());
      }
    }
  }

  private static void ready(ShardedParameters parameters, Rank rank, String name) {
    parameters.gradientReady(rank.queue(), Model.named(parameters, name), List.of());
  }
}
