package io.hirundo.trainer.internal.parity;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.device.ComputeBackend;
import io.hirundo.devicemeta.internal.MetaFactory;
import io.hirundo.devicemeta.internal.MetaOptions;
import io.hirundo.fp8blockwise.internal.Fp8BlockwiseFactory;
import io.hirundo.fp8blockwise.internal.Fp8BlockwiseOptions;
import io.hirundo.mesh.Axis;
import io.hirundo.model.Recompute;
import io.hirundo.modelllama.internal.LlamaFactory;
import io.hirundo.modelllama.internal.LlamaOptions;
import io.hirundo.optimizeradamw.internal.adamw.AdamWFactory;
import io.hirundo.optimizeradamw.internal.adamw.AdamWOptions;
import io.hirundo.optimizeradamw.internal.schedule.ConstantFactory;
import io.hirundo.optimizeradamw.internal.schedule.ConstantOptions;
import io.hirundo.paralleldp.internal.zero1.Zero1Factory;
import io.hirundo.paralleldp.internal.zero1.Zero1Options;
import io.hirundo.paralleltp.internal.columnrow.ColumnRowFactory;
import io.hirundo.paralleltp.internal.columnrow.ColumnRowOptions;
import io.hirundo.precision.PrecisionStrategy;
import io.hirundo.strategy.Choice;
import io.hirundo.trainer.internal.config.EvaluationSection;
import io.hirundo.trainer.internal.config.MeshSection;
import io.hirundo.trainer.internal.config.RunConfiguration;
import io.hirundo.trainer.internal.config.TrainingSection;
import io.hirundo.trainer.internal.fixture.TestParallel;
import io.hirundo.trainer.internal.plan.DryRun;
import io.hirundo.trainer.internal.session.LocalRun;
import io.hirundo.trainer.internal.strategy.Strategies;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Activations that travel in 8 bits are those that would be made of them where they arrive, and half of the bytes. */
class QuantizedGatherTest {
  private static final int STEPS = 2;
  private static final int SEQUENCE_TOKENS = 128;
  private static final int MICRO_BATCH = 2;
  private static final int GLOBAL_BATCH = 2;
  private static final int HIDDEN = 256;

  /** Of gate and up each. */
  private static final int INTERMEDIATE = 256;

  private static final int TENSOR = 2;

  /**
   * A run of one layer on two tensor ranks.
   *
   * @param overlap ring, scatter and bulk, as letters; {@code none} for none of them
   */
  private record Way(
      String overlap, boolean quantizedGather, String scales, String blocks, String schedule, Recompute recompute) {
    Way withoutQuantizedGather() {
      return new Way("none", false, scales, blocks, schedule, recompute);
    }

    int pipeline() {
      return schedule.equals("1f1b") ? 1 : 2;
    }

    /** The layer is on the second stage, where there is one: a first stage has no halves. */
    List<Integer> stageLayers() {
      return pipeline() == 1 ? List.of() : List.of(0, 1);
    }

    ColumnRowOptions options() {
      return new ColumnRowOptions(
          true, !overlap.equals("none"), overlap.contains("r"), overlap.contains("s"), overlap.contains("b"), 2, quantizedGather);
    }

    PrecisionStrategy precision() {
      return new Fp8BlockwiseFactory()
          .create(new Fp8BlockwiseOptions(scales, Fp8BlockwiseOptions.E4M3, blocks, 0, 0, true, false));
    }

    RunConfiguration configuration(int sequenceTokens) {
      var defaults = new RunConfiguration();
      var mesh =
          new MeshSection(
              Choice.of("local"), TENSOR, 1, pipeline(), 1, List.of(Axis.TENSOR, Axis.CONTEXT, Axis.PIPELINE, Axis.DATA),
              Choice.of(schedule), stageLayers(), Choice.of("column-row"), Choice.of("ring"), Choice.of("zero1"));
      return new RunConfiguration(
          1, 7, defaults.run(), defaults.model(), defaults.device(), defaults.precision(), mesh,
          new TrainingSection(STEPS, sequenceTokens, MICRO_BATCH, GLOBAL_BATCH, 1.0, recompute), defaults.optimizer(),
          defaults.learningRate(), defaults.data(), new EvaluationSection(0, 5, Map.of(), 0, 0), defaults.samples(), defaults.fingerprints(), defaults.checkpoint(),
          defaults.swap(), defaults.audit(), List.of());
    }

    Strategies strategies(ComputeBackend backend) {
      var sizes =
          new LlamaOptions(320, HIDDEN, INTERMEDIATE, 1, 4, 4, 0, SEQUENCE_TOKENS, 1e-5, 10000, null, false, 0.02);
      return new Strategies(
          new Strategies.Compute(backend, precision()),
          new Strategies.Parallel(
              TestParallel.fabric(),
              TestParallel.schedule(schedule),
              new ColumnRowFactory().create(options()),
              TestParallel.context("ring", true),
              new Zero1Factory().create(new Zero1Options())),
          new Strategies.Model(new LlamaFactory().create(sizes), null, Optional.empty()),
          new Strategies.Step(
              new AdamWFactory().create(new AdamWOptions()),
              new ConstantFactory().create(new ConstantOptions(1e-3, 0))),
          new Strategies.Data(request -> new Layouts.Text(), Map.of(), Optional.empty()),
          new Strategies.Outcome(Optional.empty(), Optional.empty(), List.of()));
    }

    /** Loss and gradient norm of every step, the last of which sees what all gradients before have done to the weights. */
    List<Double> train(int sequenceTokens) {
      try (var run = LocalRun.open(configuration(sequenceTokens), strategies(Layouts.cpu()))) {
        var figures = new ArrayList<Double>();
        for (int step = 0; step < STEPS; step++) {
          var metrics = run.step();
          figures.add(metrics.loss());
          figures.add(metrics.gradientNorm());
        }
        return figures;
      }
    }

    List<DryRun.OfRank> planned() {
      var profile = Layouts.cpu().memoryProfile();
      var meta =
          new MetaOptions(profile.deviceName(), profile.alignmentBytes(), profile.workspaceBytes(), 1L << 40, null);
      return DryRun.of(configuration(SEQUENCE_TOKENS), strategies(new MetaFactory().create(meta))).ranks();
    }

    /** Bytes of a kind of messages in a step, of a rank that has the layer. */
    long messageBytes(String name) {
      return planned().getLast().messagesPerStep().get(name).movedBytes();
    }
  }

  private static Way aligned(String overlap, boolean quantizedGather) {
    return new Way(
        overlap, quantizedGather, Fp8BlockwiseOptions.POWER_OF_TWO, Fp8BlockwiseOptions.ALIGNED, "1f1b", Recompute.NONE);
  }

  private static List<Double> expected;

  @BeforeAll
  static void trainWithoutOverlap() {
    expected = aligned("none", false).train(SEQUENCE_TOKENS);
  }

  @ParameterizedTest
  @CsvSource({"none", "r", "s", "b", "rsb"})
  void bitForBitWithEveryOverlap(String overlap) {
    assertEquals(expected, aligned(overlap, true).train(SEQUENCE_TOKENS));
  }

  /** Also where a backward comes in halves, where blocks of tokens are cut, and where forwards are repeated. */
  @ParameterizedTest
  @CsvSource({
    "power-of-two, aligned, zb-h1, NONE, 128", "exact, aligned, 1f1b, NONE, 128", "exact, shard-local, 1f1b, FULL, 128",
    "power-of-two, shard-local, zb-h1, FULL, 96", "power-of-two, aligned, 1f1b, NONE, 66"
  })
  void bitForBitWithEveryScale(String scales, String blocks, String schedule, Recompute recompute, int sequenceTokens) {
    var way = new Way("rsb", true, scales, blocks, schedule, recompute);
    assertEquals(way.withoutQuantizedGather().train(sequenceTokens), way.train(sequenceTokens));
  }

  /** In halves a backward gathers gradients once for each of its products, and each time in the codes that this one reads. */
  @Test
  void bytesOfGradientsInHalves() {
    long tokens = (long) GLOBAL_BATCH * SEQUENCE_TOKENS;
    long values = 2 * tokens * HIDDEN;
    long codes = tokens * HIDDEN + tokens * HIDDEN / 128 * 2;
    var way =
        new Way(
            "none", true, Fp8BlockwiseOptions.POWER_OF_TWO, Fp8BlockwiseOptions.ALIGNED, "zb-h1", Recompute.NONE);
    long saved =
        way.withoutQuantizedGather().messageBytes("all-gather tensor") - way.messageBytes("all-gather tensor");
    // Rows of two inputs and of two output gradients, each for two products.
    assertEquals(2 * (2 + 2) * (values - codes), saved);
  }

  /** Rows of x of two layers split by their outputs, once for the forward and once for the weight gradient. */
  @Test
  void bytesOfGatheredActivations() {
    long tokens = (long) GLOBAL_BATCH * SEQUENCE_TOKENS;
    long values = 2 * tokens * HIDDEN;
    long codes = tokens * HIDDEN + tokens * HIDDEN / 128 * 2;
    long gathered = 2 * 2;
    for (String overlap : List.of("none", "b")) {
      long saved =
          aligned(overlap, false).messageBytes("all-gather tensor") - aligned(overlap, true).messageBytes("all-gather tensor");
      assertEquals(gathered * (values - codes), saved);
    }
    assertTrue(codes <= 0.51 * values, codes + " of " + values);
    // In a ring a rank sends its own rows on, and receives those of the other one.
    for (String direction : List.of("send tensor", "receive tensor")) {
      assertEquals(2 * values / 2 + rowLayers(values), aligned("r", false).messageBytes(direction));
      assertEquals(2 * codes / 2 + rowLayers(values), aligned("r", true).messageBytes(direction));
    }
  }

  /** Memory and messages of a run are those that were planned. */
  @ParameterizedTest
  @CsvSource({"none, 1f1b", "rsb, 1f1b", "rsb, zb-h1"})
  void asPlanned(String overlap, String schedule) {
    var way =
        new Way(
            overlap, true, Fp8BlockwiseOptions.POWER_OF_TWO, Fp8BlockwiseOptions.ALIGNED, schedule, Recompute.SELECTIVE);
    List<DryRun.OfRank> planned = way.planned();
    try (var run = LocalRun.open(way.configuration(SEQUENCE_TOKENS), way.strategies(Layouts.cpu()))) {
      for (int step = 0; step < STEPS; step++) {
        run.step();
      }
      var bytes = new HashMap<String, Long>();
      planned.getFirst().messagesPerStep().forEach((name, work) -> bytes.put(name, work.movedBytes()));
      assertEquals(bytes, run.lastStep().messageBytes());
      run.validation().all(() -> false);
      for (int rank = 0; rank < planned.size(); rank++) {
        assertEquals(planned.get(rank).peakBytes(), run.ranks().ledger(rank).peakBytes(), "rank " + rank);
      }
    }
  }

  /** Gradients of two layers split by their inputs go round once for both products of a backward, as values. */
  private static long rowLayers(long values) {
    return 2 * values / 2;
  }
}
