package io.hirundo.trainer.internal.parity;

import io.hirundo.data.DataSource;
import io.hirundo.data.SampleSet;
import io.hirundo.device.ComputeBackend;
import io.hirundo.fp8pertensor.internal.Fp8DelayedFactory;
import io.hirundo.fp8pertensor.internal.Fp8DelayedOptions;
import io.hirundo.learningrate.internal.ConstantFactory;
import io.hirundo.learningrate.internal.ConstantOptions;
import io.hirundo.lib.engine.strategy.Strategies;
import io.hirundo.lib.run.config.RunConfiguration;
import io.hirundo.lib.run.section.EvaluationSection;
import io.hirundo.lib.run.section.SamplesSection;
import io.hirundo.lib.run.section.TrainingSection;
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
import io.hirundo.precisionnative.internal.Fp64Factory;
import io.hirundo.schedule.PipelineSchedule;
import io.hirundo.strategy.NoOptions;
import io.hirundo.trainer.internal.fixture.TestParallel;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Configurations that differ in everything that affects memory. */
enum PlanCase {
    PLAIN(sizes(256, 4, 2, false), PlanParityTest.FP32, Choices.ONE_F_ONE_B, 2, 4, Recompute.NONE),
    SELECTIVE(sizes(256, 4, 2, false), PlanParityTest.FP32, Choices.ONE_F_ONE_B, 2, 4, Recompute.SELECTIVE),
    FULL(sizes(256, 4, 2, false), PlanParityTest.FP32, Choices.ONE_F_ONE_B, 2, 4, Recompute.FULL),
    ALL_FORWARDS_FIRST(sizes(256, 4, 4, false), PlanParityTest.FP32, Choices.GPIPE, 1, 3, Recompute.NONE),
    TIED_AND_ODD(sizes(333, 3, 1, true), PlanParityTest.FP32, Choices.ONE_F_ONE_B, 3, 3, Recompute.NONE),
    DOUBLE_PRECISION(sizes(101, 2, 2, true), Choices.FP64, Choices.ONE_F_ONE_B, 1, 2, Recompute.FULL),
    BFLOAT16(sizes(256, 4, 2, false), PlanParityTest.BF16, Choices.ONE_F_ONE_B, 2, 4, Recompute.SELECTIVE),
    BFLOAT16_ODD(sizes(333, 3, 1, true), PlanParityTest.BF16, Choices.GPIPE, 1, 3, Recompute.NONE),
    EIGHT_BITS(sizes(256, 4, 2, false), PlanParityTest.FP8, Choices.ONE_F_ONE_B, 2, 4, Recompute.SELECTIVE),
    EIGHT_BITS_DELAYED(sizes(256, 4, 2, false), Choices.DELAYED, Choices.ONE_F_ONE_B, 2, 4, Recompute.SELECTIVE),
    EIGHT_BITS_ODD(sizes(333, 3, 1, true), PlanParityTest.FP8, Choices.GPIPE, 1, 3, Recompute.NONE),
    // A vocabulary for which the loss head splits the microbatch into chunks.
    CHUNKED_HEAD(sizes(60_000, 4, 2, true), PlanParityTest.FP32, Choices.ONE_F_ONE_B, 4, 4, Recompute.NONE),
    LONG_SEQUENCE(
            new LlamaOptions(20_000, 32, 56, 1, 2, 2, 0, 512, 1e-5, 10000, null, true, 0.02, false, false, 0),
            512,
            Recompute.NONE),
    // Samples keep the keys and values of all layers, and steps only the layers' inputs.
    DEEP(
            new LlamaOptions(256, 32, 56, 24, 2, 2, 0, 512, 1e-5, 10000, null, true, 0.02, false, false, 0),
            512,
            Recompute.FULL),
    // A window, capped logits of which the head keeps a copy, norms of 1 + w, and norms after each half of a block.
    GEMMA(gemma(), PlanParityTest.FP32, Recompute.NONE),
    GEMMA_BFLOAT16(gemma(), PlanParityTest.BF16, Recompute.SELECTIVE),
    NORMS_OF_HEADS(qwen(QwenType.QWEN3), PlanParityTest.FP32, Recompute.NONE),
    NORMS_OF_HEADS_SELECTIVE(qwen(QwenType.QWEN3), PlanParityTest.BF16, Recompute.SELECTIVE),
    BIASES(qwen(QwenType.QWEN2), PlanParityTest.FP8, Recompute.FULL);

    private final Architecture architecture;
    private final int vocabulary;
    private final PrecisionStrategy precision;
    private final PipelineSchedule schedule;
    private final TrainingSection training;

    PlanCase(Architecture architecture, PrecisionStrategy precision, Recompute recompute) {
        this(architecture, precision, Choices.ONE_F_ONE_B, new TrainingSection(3, 33, 2, 4, 1, recompute));
    }

    PlanCase(LlamaOptions sizes, int sequenceTokens, Recompute recompute) {
        this(
                new LlamaFactory().create(sizes),
                PlanParityTest.FP32,
                Choices.ONE_F_ONE_B,
                new TrainingSection(3, sequenceTokens, 1, 1, 1, recompute));
    }

    PlanCase(
            LlamaOptions sizes,
            PrecisionStrategy precision,
            PipelineSchedule schedule,
            int microBatch,
            int globalBatch,
            Recompute recompute) {
        this(
                new LlamaFactory().create(sizes),
                precision,
                schedule,
                new TrainingSection(3, 33, microBatch, globalBatch, 1, recompute));
    }

    PlanCase(
            Architecture architecture,
            PrecisionStrategy precision,
            PipelineSchedule schedule,
            TrainingSection training) {
        this.architecture = architecture;
        this.vocabulary = Math.toIntExact(architecture.describe().vocabulary());
        this.precision = precision;
        this.schedule = schedule;
        this.training = training;
    }

    private static Architecture gemma() {
        return new Gemma2Factory()
                .create(new Gemma2Options(333, 48, 56, 3, 4, 2, 16, 40, 1e-6, 1e4, 9, 20, 0.5, 0.5, true, 0.02));
    }

    private static Architecture qwen(QwenType type) {
        return new QwenFactory()
                .create(new QwenOptions(type, 256, 64, 56, 3, 4, 2, 24, 40, 1e-6, 1e6, false, 0.02, false, 0, 0));
    }

    private static LlamaOptions sizes(int vocabulary, int heads, int kvHeads, boolean tied) {
        return new LlamaOptions(
                vocabulary, heads * 16, 56, 3, heads, kvHeads, 0, 40, 1e-5, 10000, null, tied, 0.02, false, false, 0);
    }

    RunConfiguration configuration() {
        return configuration(new SamplesSection());
    }

    RunConfiguration configuration(SamplesSection samples) {
        var defaults = new RunConfiguration();
        return new RunConfiguration(
                1,
                1,
                defaults.run(),
                defaults.model(),
                defaults.device(),
                defaults.precision(),
                defaults.mesh(),
                training,
                defaults.optimizer(),
                defaults.learningRate(),
                defaults.data(),
                new EvaluationSection(0, 5, Map.of(), 0, 0),
                samples,
                defaults.fingerprints(),
                defaults.checkpoint(),
                defaults.swap(),
                defaults.audit(),
                List.of());
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

    /** An enum's constants cannot read its static fields. */
    private static final class Choices {
        static final PrecisionStrategy DELAYED = new Fp8DelayedFactory().create(new Fp8DelayedOptions());
        static final PrecisionStrategy FP64 = new Fp64Factory().create(new NoOptions());
        static final PipelineSchedule ONE_F_ONE_B = new OneForwardOneBackwardFactory().create(new NoOptions());
        static final PipelineSchedule GPIPE = new GPipeFactory().create(new NoOptions());
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
