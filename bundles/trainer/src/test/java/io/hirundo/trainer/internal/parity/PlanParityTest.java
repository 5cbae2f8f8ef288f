package io.hirundo.trainer.internal.parity;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.data.DataSource;
import io.hirundo.data.SampleSet;
import io.hirundo.device.ComputeBackend;
import io.hirundo.device.MemoryCategory;
import io.hirundo.devicecpu.internal.CpuBackendFactory;
import io.hirundo.devicecpu.internal.CpuOptions;
import io.hirundo.devicemeta.internal.MetaFactory;
import io.hirundo.devicemeta.internal.MetaOptions;
import io.hirundo.fp8blockwise.internal.Fp8BlockwiseFactory;
import io.hirundo.fp8blockwise.internal.Fp8BlockwiseOptions;
import io.hirundo.fp8pertensor.internal.Fp8DelayedFactory;
import io.hirundo.fp8pertensor.internal.Fp8DelayedOptions;
import io.hirundo.learningrate.internal.ConstantFactory;
import io.hirundo.learningrate.internal.ConstantOptions;
import io.hirundo.model.Architecture;
import io.hirundo.model.layer.Recompute;
import io.hirundo.modelgemma2.internal.Gemma2Factory;
import io.hirundo.modelgemma2.internal.Gemma2Options;
import io.hirundo.modelllama.internal.LlamaFactory;
import io.hirundo.modelllama.internal.LlamaOptions;
import io.hirundo.modelqwen.internal.QwenFactory;
import io.hirundo.modelqwen.internal.QwenOptions;
import io.hirundo.modelqwen.internal.QwenType;
import io.hirundo.optimizeradamw.internal.adamw.AdamWFactory;
import io.hirundo.optimizeradamw.internal.adamw.AdamWOptions;
import io.hirundo.parallelpp.internal.GPipeFactory;
import io.hirundo.parallelpp.internal.OneForwardOneBackwardFactory;
import io.hirundo.precision.PrecisionStrategy;
import io.hirundo.precisionnative.internal.Bf16Factory;
import io.hirundo.precisionnative.internal.Bf16Options;
import io.hirundo.precisionnative.internal.Fp32Factory;
import io.hirundo.precisionnative.internal.Fp64Factory;
import io.hirundo.schedule.PipelineSchedule;
import io.hirundo.strategy.NoOptions;
import io.hirundo.trainer.internal.audit.AuditedRunTest;
import io.hirundo.trainer.internal.config.RunConfiguration;
import io.hirundo.trainer.internal.config.section.AuditSection.OnFinding;
import io.hirundo.trainer.internal.config.section.AuditSection;
import io.hirundo.trainer.internal.config.section.EvaluationSection;
import io.hirundo.trainer.internal.config.section.SamplesSection;
import io.hirundo.trainer.internal.config.section.TrainingSection;
import io.hirundo.trainer.internal.decode.CachedLogits;
import io.hirundo.trainer.internal.fixture.TestParallel;
import io.hirundo.trainer.internal.parity.Layouts.Layout;
import io.hirundo.trainer.internal.plan.DryRun;
import io.hirundo.trainer.internal.session.LocalRun;
import io.hirundo.trainer.internal.strategy.Strategies;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** The planned memory equals that of a CPU run, by category and to the byte. */
class PlanParityTest {
  static final PrecisionStrategy FP32 = new Fp32Factory().create(new NoOptions());
  static final PrecisionStrategy BF16 = new Bf16Factory().create(new Bf16Options());
  static final PrecisionStrategy FP8 =
      new Fp8BlockwiseFactory()
          .create(
              new Fp8BlockwiseOptions(
                  Fp8BlockwiseOptions.POWER_OF_TWO, Fp8BlockwiseOptions.E4M3, Fp8BlockwiseOptions.SHARD_LOCAL, 0, 0, true,
                  false));
  private static final PrecisionStrategy DELAYED = new Fp8DelayedFactory().create(new Fp8DelayedOptions());
  private static final PrecisionStrategy FP64 = new Fp64Factory().create(new NoOptions());
  private static final PipelineSchedule ONE_F_ONE_B = new OneForwardOneBackwardFactory().create(new NoOptions());
  private static final PipelineSchedule GPIPE = new GPipeFactory().create(new NoOptions());

  /** Configurations that differ in everything that affects memory. */
  enum Case {
    PLAIN(sizes(256, 4, 2, false), FP32, ONE_F_ONE_B, 2, 4, Recompute.NONE),
    SELECTIVE(sizes(256, 4, 2, false), FP32, ONE_F_ONE_B, 2, 4, Recompute.SELECTIVE),
    FULL(sizes(256, 4, 2, false), FP32, ONE_F_ONE_B, 2, 4, Recompute.FULL),
    ALL_FORWARDS_FIRST(sizes(256, 4, 4, false), FP32, GPIPE, 1, 3, Recompute.NONE),
    TIED_AND_ODD(sizes(333, 3, 1, true), FP32, ONE_F_ONE_B, 3, 3, Recompute.NONE),
    DOUBLE_PRECISION(sizes(101, 2, 2, true), FP64, ONE_F_ONE_B, 1, 2, Recompute.FULL),
    BFLOAT16(sizes(256, 4, 2, false), BF16, ONE_F_ONE_B, 2, 4, Recompute.SELECTIVE),
    BFLOAT16_ODD(sizes(333, 3, 1, true), BF16, GPIPE, 1, 3, Recompute.NONE),
    EIGHT_BITS(sizes(256, 4, 2, false), FP8, ONE_F_ONE_B, 2, 4, Recompute.SELECTIVE),
    EIGHT_BITS_DELAYED(sizes(256, 4, 2, false), DELAYED, ONE_F_ONE_B, 2, 4, Recompute.SELECTIVE),
    EIGHT_BITS_ODD(sizes(333, 3, 1, true), FP8, GPIPE, 1, 3, Recompute.NONE),
    // A vocabulary for which the loss head splits the microbatch into chunks.
    CHUNKED_HEAD(sizes(60_000, 4, 2, true), FP32, ONE_F_ONE_B, 4, 4, Recompute.NONE),
    LONG_SEQUENCE(new LlamaOptions(20_000, 32, 56, 1, 2, 2, 0, 512, 1e-5, 10000, null, true, 0.02), 512, Recompute.NONE),
    // Samples keep the keys and values of all layers, and steps only the layers' inputs.
    DEEP(new LlamaOptions(256, 32, 56, 24, 2, 2, 0, 512, 1e-5, 10000, null, true, 0.02), 512, Recompute.FULL),
    // A window, capped logits of which the head keeps a copy, norms of 1 + w, and norms after each half of a block.
    GEMMA(gemma(), FP32, Recompute.NONE),
    GEMMA_BFLOAT16(gemma(), BF16, Recompute.SELECTIVE),
    NORMS_OF_HEADS(qwen(QwenType.QWEN3), FP32, Recompute.NONE),
    NORMS_OF_HEADS_SELECTIVE(qwen(QwenType.QWEN3), BF16, Recompute.SELECTIVE),
    BIASES(qwen(QwenType.QWEN2), FP8, Recompute.FULL);

    private final Architecture architecture;
    private final int vocabulary;
    private final PrecisionStrategy precision;
    private final PipelineSchedule schedule;
    private final TrainingSection training;

    Case(Architecture architecture, PrecisionStrategy precision, Recompute recompute) {
      this(architecture, precision, ONE_F_ONE_B, new TrainingSection(3, 33, 2, 4, 1, recompute));
    }

    Case(LlamaOptions sizes, int sequenceTokens, Recompute recompute) {
      this(new LlamaFactory().create(sizes), FP32, ONE_F_ONE_B, new TrainingSection(3, sequenceTokens, 1, 1, 1, recompute));
    }

    Case(
        LlamaOptions sizes,
        PrecisionStrategy precision,
        PipelineSchedule schedule,
        int microBatch,
        int globalBatch,
        Recompute recompute) {
      this(new LlamaFactory().create(sizes), precision, schedule, new TrainingSection(3, 33, microBatch, globalBatch, 1, recompute));
    }

    Case(Architecture architecture, PrecisionStrategy precision, PipelineSchedule schedule, TrainingSection training) {
      this.architecture = architecture;
      this.vocabulary = Math.toIntExact(architecture.describe().vocabulary());
      this.precision = precision;
      this.schedule = schedule;
      this.training = training;
    }

    private static Architecture gemma() {
      return new Gemma2Factory().create(
          new Gemma2Options(333, 48, 56, 3, 4, 2, 16, 40, 1e-6, 1e4, 9, 20, 0.5, 0.5, true, 0.02));
    }

    private static Architecture qwen(QwenType type) {
      return new QwenFactory().create(new QwenOptions(type, 256, 64, 56, 3, 4, 2, 24, 40, 1e-6, 1e6, false, 0.02));
    }

    private static LlamaOptions sizes(int vocabulary, int heads, int kvHeads, boolean tied) {
      return new LlamaOptions(vocabulary, heads * 16, 56, 3, heads, kvHeads, 0, 40, 1e-5, 10000, null, tied, 0.02);
    }

    RunConfiguration configuration() {
      return configuration(new SamplesSection());
    }

    RunConfiguration configuration(SamplesSection samples) {
      var defaults = new RunConfiguration();
      return new RunConfiguration(
          1, 1, defaults.run(), defaults.model(), defaults.device(), defaults.precision(), defaults.mesh(), training,
          defaults.optimizer(), defaults.learningRate(), defaults.data(), new EvaluationSection(0, 5, Map.of(), 0, 0),
          samples, defaults.fingerprints(), defaults.checkpoint(), defaults.swap(), defaults.audit(), List.of());
    }

    Strategies strategies(ComputeBackend backend) {
      DataSource data = request -> new Counting(vocabulary);
      return new Strategies(
          new Strategies.Compute(backend, precision),
          TestParallel.with(TestParallel.fabric(), schedule),
          new Strategies.Model(architecture, null, Optional.empty()),
          new Strategies.Step(
              new AdamWFactory().create(new AdamWOptions()),
              new ConstantFactory().create(new ConstantOptions())),
          new Strategies.Data(data, Map.of(), Optional.empty()),
          new Strategies.Outcome(Optional.empty(), Optional.empty(), List.of()));
    }
  }

  @ParameterizedTest
  @EnumSource
  void peakBytesByCategory(Case wanted) {
    ComputeBackend cpu = new CpuBackendFactory().create(new CpuOptions(2, CpuOptions.VECTOR));
    DryRun.Counted planned = DryRun.of(wanted.configuration(), wanted.strategies(PlannedBytes.meta(cpu)));
    try (LocalRun run = LocalRun.open(wanted.configuration(), wanted.strategies(cpu))) {
      for (int step = 0; step < 3; step++) {
        run.step();
      }
      run.validation().all(() -> false);
      assertEquals(run.ranks().ledger(0).peakBytes(), planned.ranks().getFirst().peakBytes());
      assertEquals(run.ranks().ledger(0).peakTotalBytes(), planned.ranks().getFirst().peakTotalBytes());
      assertEquals(run.ranks().ledger(0).bytesAtPeak(), planned.ranks().getFirst().bytesAtPeak());
    }
  }

  @Test
  void peakBytesWithSamples() {
    Case wanted = Case.DEEP;
    var configuration = wanted.configuration(new SamplesSection(1, List.of("a"), 8, 0));
    DryRun.Counted planned = DryRun.of(configuration, wanted.strategies(new MetaFactory().create(new MetaOptions())));
    assertTrue(
        planned.ranks().getFirst().peakTotalBytes()
            > DryRun.of(wanted.configuration(), wanted.strategies(new MetaFactory().create(new MetaOptions()))).ranks().getFirst().peakTotalBytes(),
        "samples are not the largest: this test proves nothing");
    ComputeBackend cpu = new CpuBackendFactory().create(new CpuOptions(2, CpuOptions.VECTOR));
    planned = DryRun.of(configuration, wanted.strategies(PlannedBytes.meta(cpu)));
    try (LocalRun run = LocalRun.open(configuration, wanted.strategies(cpu))) {
      run.step();
      run.step();
      run.onEachRank(
          part -> {
            try (var logits = new CachedLogits(part.model(), 512)) {
              return logits.afterLast(new int[512]);
            }
          });
      run.validation().all(() -> false);
      assertEquals(run.ranks().ledger(0).peakBytes(), planned.ranks().getFirst().peakBytes());
      assertEquals(run.ranks().ledger(0).peakTotalBytes(), planned.ranks().getFirst().peakTotalBytes());
    }
  }

  /** Every rank of a distributed run. */
  @ParameterizedTest
  @MethodSource
  void peakBytesOfEveryRank(Layout layout, PrecisionStrategy precision) {
    assertPlanned(layout, precision, request -> new Layouts.Text());
  }

  /** Document bounds need memory, and counting labels needs a collective. */
  @Test
  void peakBytesWithDocuments() {
    assertPlanned(LayoutMatrix.fast().toList().get(10), FP32, Layouts.Documents.WITH_ALL_RULES);
  }

  /** No later audit needs more memory than the survey step. */
  @Test
  void peakBytesWithAudits() {
    Layout split = new Layout(new Layouts.Extents(2, 1, 2, 2), Layouts.Ways.DEFAULT, Recompute.NONE, 2, false, 4);
    for (PrecisionStrategy precision : List.of(FP32, FP8)) {
      RunConfiguration plain = Layouts.configuration(split);
      RunConfiguration audited = AuditedRunTest.audited(plain, new AuditSection(3, OnFinding.LOG, 0));
      assertPlanned(audited, split, precision, request -> new Layouts.Text(), Set.of());
      assertTrue(peakTotalBytes(audited, split) > peakTotalBytes(plain, split), "the audit takes no memory: this proves nothing");
    }
  }

  /** Collectives that end after the step (weight gathers) count for the step that started them. */
  @Test
  void isReproducible() {
    Layout split = LayoutMatrix.fast().toList().get(1);
    ComputeBackend meta = new MetaFactory().create(new MetaOptions());
    var data = Layouts.Documents.WITH_ALL_RULES;
    var first = DryRun.of(Layouts.configuration(split), Layouts.strategies(split, FP32, meta, data));
    for (int time = 0; time < 10; time++) {
      assertEquals(first, DryRun.of(Layouts.configuration(split), Layouts.strategies(split, FP32, meta, data)));
    }
  }

  private static final Layout SHARDED =
      new Layout(
          new Layouts.Extents(1, 1, 1, 2), new Layouts.Ways("1f1b", "ring", "fsdp", true, true), Recompute.NONE, 2, false);

  /** The second step measures quantization error, for which weights and activations are sent unquantized. */
  @ParameterizedTest
  @MethodSource
  void peakBytesOfQuantizationErrorSteps(Layout layout) {
    assertPlanned(
        watched(layout), layout, FP8, request -> new Layouts.Text(),
        // Control messages after the run depend on the length of the numbers in them.
        Set.of(MemoryCategory.COMMUNICATION));
  }

  static Stream<Layout> peakBytesOfQuantizationErrorSteps() {
    return Stream.of(
        SHARDED,
        new Layout(new Layouts.Extents(1, 1, 1, 2), Layouts.Ways.DEFAULT, Recompute.FULL, 2, false),
        new Layout(new Layouts.Extents(2, 1, 1, 1), Layouts.Ways.DEFAULT, Recompute.NONE, 2, false));
  }

  @Test
  void quantizationErrorStepMayBeTheLargest() {
    assertTrue(peakTotalBytes(watched(SHARDED), SHARDED) > peakTotalBytes(Layouts.configuration(SHARDED), SHARDED));
  }

  private static RunConfiguration watched(Layout layout) {
    RunConfiguration plain = Layouts.configuration(layout);
    return new RunConfiguration(
        plain.schemaVersion(), plain.seed(), plain.run(), plain.model(), plain.device(), plain.precision(), plain.mesh(),
        plain.training(), plain.optimizer(), plain.learningRate(), plain.data(),
        new EvaluationSection(0, 5, Map.of(), 2, 0), plain.samples(), plain.fingerprints(), plain.checkpoint(), plain.swap(), plain.audit(), plain.monitors());
  }

  private static long peakTotalBytes(RunConfiguration configuration, Layout layout) {
    ComputeBackend meta = new MetaFactory().create(new MetaOptions());
    return DryRun.of(configuration, Layouts.strategies(layout, FP8, meta, request -> new Layouts.Text()))
        .ranks()
        .getFirst()
        .peakTotalBytes();
  }

  private static void assertPlanned(Layout layout, PrecisionStrategy precision, DataSource data) {
    assertPlanned(Layouts.configuration(layout), layout, precision, data, Set.of());
  }

  private static void assertPlanned(
      RunConfiguration configuration,
      Layout layout,
      PrecisionStrategy precision,
      DataSource data,
      Set<MemoryCategory> apart) {
    assertPlanned(configuration, backend -> Layouts.strategies(layout, precision, backend, data), apart);
  }

  /** On a CPU. {@code apart}: categories that are not compared. */
  static void assertPlanned(
      RunConfiguration configuration, Function<ComputeBackend, Strategies> strategies, Set<MemoryCategory> apart) {
    try (LocalRun run = LocalRun.open(configuration, strategies.apply(Layouts.cpu()))) {
      for (int step = 0; step < 3; step++) {
        run.step();
      }
      PlannedBytes.check(configuration, strategies, PlannedBytes.of(run), apart);
    }
  }

  /** {@link LayoutParityTest} checks the memory of its FP32 runs. */
  static Stream<Arguments> peakBytesOfEveryRank() {
    return LayoutMatrix.ofMemory().flatMap(PlanParityTest::inLessThanFp32);
  }

  static Stream<Arguments> inLessThanFp32(Layout layout) {
    return Stream.of(Named.of("bf16", BF16), Named.of("fp8", FP8)).map(precision -> Arguments.of(layout, precision));
  }

  private record Counting(int vocabulary) implements SampleSet {
    @Override
    public long count(Split split) {
      return 1000;
    }

    @Override
    public void read(Split split, long index, int[] into) {
      Arrays.setAll(into, i -> (int) ((index * 31 + i * 7L) % vocabulary));
    }

    @Override
    public int vocabularyBound() {
      return vocabulary;
    }

    @Override
    public String describe() {
      return "counting";
    }

    @Override
    public void close() {}
  }
}
