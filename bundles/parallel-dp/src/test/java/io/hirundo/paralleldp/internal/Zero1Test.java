package io.hirundo.paralleldp.internal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.device.Event;
import io.hirundo.device.MemoryCategory;
import io.hirundo.devicecpu.internal.CpuTensor;
import io.hirundo.mesh.Pending;
import io.hirundo.model.Parameter;
import io.hirundo.parallel.ShardedParameters;
import io.hirundo.paralleldp.internal.ThreadRanks.Rank;
import io.hirundo.schedule.Action.Kind;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Shape;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class Zero1Test {
  private static final Zero1Options SMALL = new Zero1Options(400, true, true, true);

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 4, 8})
  void overSeveralStepsGradientsAreSumsAndWeightsReachEveryRank(int ranks) throws Exception {
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
              step(parameters, rank, step);
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
                    step(parameters, rank, step);
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
  void sumsStartUnderTheBackwardAndGathersFollowOneAnother() throws Exception {
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
  void aBucketIsSentWhenItsLastParameterIsReadyAndNotBefore() throws Exception {
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
            parameters.gradientReady(rank.queue(), named(parameters, "down.1"), List.of(first, first));
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
  void newWeightsAreReportedToEachBlockOnce() throws Exception {
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
  void runsComeInTheOrderOfDeclarationAndSayWhereTheyBegin() throws Exception {
    List<List<String>> owned =
        ThreadRanks.run(
            2,
            new Wire(2),
            rank -> {
              try (ShardedParameters parameters = bind(rank, new Zero1Options())) {
                assertEquals(
                    List.of("embedding", "norm.0", "up.0", "down.0", "norm.1", "up.1", "down.1", "norm"),
                    parameters.parameters().stream().map(each -> each.spec().name()).toList());
                assertEquals(Shape.of(31, 12), named(parameters, "up.1").value().shape());
                return parameters.owned().stream()
                    .map(run -> run.spec().name() + " " + run.firstElement() + " " + run.value().shape())
                    .toList();
              }
            });
    // In the bucket of 2048 elements lie norm, down.1, up.1, norm.1 (768) and down.0, through which the border goes.
    assertEquals(
        List.of(
            List.of("down.0 0 [256]", "norm.1 0 [12]", "up.1 0 [372]", "down.1 0 [372]", "norm 0 [12]"),
            List.of("embedding 0 [444]", "norm.0 0 [12]", "up.0 0 [372]", "down.0 256 [116]")),
        owned);
  }

  @Test
  void memoryIsThatOfTheParametersAndOfPaddingAlone() throws Exception {
    ThreadRanks.run(
        1,
        new Wire(1),
        rank -> {
          try (ShardedParameters parameters = bind(rank, new Zero1Options())) {
            long bytes = Math.ceilDiv(Model.ELEMENTS, 128) * 128 * 8L;
            assertEquals(bytes, rank.books().live(MemoryCategory.WEIGHTS));
            assertEquals(0, rank.books().live(MemoryCategory.GRADIENTS));
            assertThrows(IllegalStateException.class, () -> parameters.parameters().getFirst().gradient());
            parameters.allocateGradients();
            step(parameters, rank, 0);
            assertEquals(bytes, rank.books().peak(MemoryCategory.WEIGHTS));
            assertEquals(bytes, rank.books().peak(MemoryCategory.GRADIENTS));
            assertEquals(0, rank.books().peak(MemoryCategory.COMMUNICATION));
          }
          assertEquals(0, rank.books().live(MemoryCategory.WEIGHTS));
          assertEquals(0, rank.books().live(MemoryCategory.GRADIENTS));
          return null;
        });
  }

  @Test
  void optimizerStateFallsWithTheRanks() throws Exception {
    for (int ranks : new int[] {1, 2, 4}) {
      long expected = 2L * Model.ELEMENTS;
      List<Long> moments =
          ThreadRanks.run(
              ranks,
              new Wire(ranks),
              rank -> {
                try (ShardedParameters parameters = bind(rank, new Zero1Options(1, true, true, true))) {
                  return 2 * parameters.owned().stream().mapToLong(run -> run.value().elements()).sum();
                }
              });
      assertEquals(expected, moments.stream().mapToLong(Long::longValue).sum());
      long most = moments.stream().mapToLong(Long::longValue).max().orElseThrow();
      // A slice is up to its bucket's padding longer than its share.
      assertTrue(most <= expected / ranks + 2L * 8 * 128, ranks + " ranks: " + most);
    }
  }

  @Test
  void paddingIsZero() throws Exception {
    ThreadRanks.run(
        1,
        new Wire(1),
        rank -> {
          var layout = BucketLayout.of(List.of(100L), 1, 1).getFirst();
          try (var bucket = new Bucket(rank.device(), rank.queue(), rank.group(), layout, DType.FP64)) {
            bucket.allocateGradients(rank.queue());
            for (var buffer : List.of(bucket.weights(), bucket.gradients())) {
              for (int i = 100; i < 128; i++) {
                assertEquals(0, ((CpuTensor) buffer).getDouble(i));
              }
            }
          }
          return null;
        });
  }

  @Test
  void oneRankSendsNothing() throws Exception {
    var wire = new Wire(1);
    oneStep(wire, SMALL);
    assertEquals(List.of(), wire.log());
  }

  @Test
  void aNameStandsForOneShape() throws Exception {
    ThreadRanks.run(
        1,
        new Wire(1),
        rank -> {
          var blocks = List.of(List.of(Model.spec("a", 3)), List.of(Model.spec("a", 4)));
          var error =
              assertThrows(
                  IllegalArgumentException.class,
                  () -> new Zero1(SMALL).bind(rank.device(), rank.group(), blocks, DType.FP32));
          assertTrue(error.getMessage().contains("parameter a"), error.getMessage());
          return null;
        });
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

  private static ShardedParameters bind(Rank rank, Zero1Options options) {
    return new Zero1Factory().create(options).bind(rank.device(), rank.group(), Model.BLOCKS, DType.FP64);
  }

  private static void oneStep(Wire wire, Zero1Options options) throws Exception {
    ThreadRanks.run(
        wire.ranks(),
        wire,
        rank -> {
          try (ShardedParameters parameters = bind(rank, options)) {
            parameters.allocateGradients();
            step(parameters, rank, 0);
            return null;
          }
        });
  }

  private static void step(ShardedParameters parameters, Rank rank, int step) {
    Model.setOwned(parameters, step);
    parameters.weightsChanged(rank.queue());
    parameters.zeroGradients(rank.queue());
    Model.train(parameters, rank.queue(), rank.group().rank(), step);
    parameters.finishGradients(rank.queue());
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

  private static Parameter named(ShardedParameters parameters, String name) {
    return parameters.parameters().stream().filter(each -> each.spec().name().equals(name)).findFirst().orElseThrow();
  }

  private static void ready(ShardedParameters parameters, Rank rank, String name) {
    parameters.gradientReady(rank.queue(), named(parameters, name), List.of());
  }
}
