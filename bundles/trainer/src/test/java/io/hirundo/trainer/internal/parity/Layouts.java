package io.hirundo.trainer.internal.parity;

import io.hirundo.data.DataSource;
import io.hirundo.device.ComputeBackend;
import io.hirundo.devicecpu.internal.CpuBackendFactory;
import io.hirundo.devicecpu.internal.CpuOptions;
import io.hirundo.learningrate.internal.ConstantFactory;
import io.hirundo.learningrate.internal.ConstantOptions;
import io.hirundo.lib.engine.model.RankModel;
import io.hirundo.lib.engine.strategy.Strategies;
import io.hirundo.lib.engine.tensors.ModelTensors;
import io.hirundo.lib.engine.tensors.OwnedSlices;
import io.hirundo.lib.run.config.RunConfiguration;
import io.hirundo.lib.run.section.EvaluationSection;
import io.hirundo.lib.run.section.MeshAxis;
import io.hirundo.lib.run.section.MeshSection;
import io.hirundo.lib.run.section.TrainingSection;
import io.hirundo.model.Architecture;
import io.hirundo.model.layer.Recompute;
import io.hirundo.model.parameter.Parameter;
import io.hirundo.model.parameter.ParameterPart;
import io.hirundo.modelllama.internal.LlamaFactory;
import io.hirundo.modelllama.internal.LlamaOptions;
import io.hirundo.optimizeradamw.internal.adamw.AdamWFactory;
import io.hirundo.optimizeradamw.internal.adamw.AdamWOptions;
import io.hirundo.precision.PrecisionStrategy;
import io.hirundo.precisionnative.internal.Bf16Factory;
import io.hirundo.precisionnative.internal.Bf16Options;
import io.hirundo.precisionnative.internal.Fp32Factory;
import io.hirundo.strategy.Choice;
import io.hirundo.strategy.NoOptions;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Shape;
import io.hirundo.tensor.Tensor;
import io.hirundo.trainer.internal.fixture.TestParallel;
import io.hirundo.trainer.internal.session.LocalRun;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;

/** Runs a small Llama in many layouts. */
public final class Layouts {
    public static final PrecisionStrategy FP32 = new Fp32Factory().create(new NoOptions());
    public static final PrecisionStrategy BF16 = new Bf16Factory().create(new Bf16Options());
    public static final int STEPS = 20;

    /** Of layouts that differ from those of {@link LayoutParityTest} in what one step computes; 20 in the profile {@code soak}. */
    static final int MATRIX_STEPS = Integer.getInteger("hirundo.matrixSteps", 5);

    static final int TOKENS = 32;
    static final int GLOBAL_BATCH = 8;
    static final int VOCABULARY = 320;
    /** Two for each of two pipeline stages; one for each chunk where those stages have two. */
    static final int LAYERS = 4;

    /**
     * Sizes of the mesh axes.
     *
     * @param tensor tensor-parallel size
     * @param context context-parallel size
     * @param pipeline pipeline-parallel size
     * @param data data-parallel size
     */
    public record Extents(int tensor, int context, int pipeline, int data) {
        public int ranks() {
            return tensor * context * pipeline * data;
        }

        @Override
        public String toString() {
            return "tp" + tensor + " cp" + context + " pp" + pipeline + " dp" + data;
        }
    }

    /**
     * The strategies of the axes.
     *
     * @param schedule pipeline schedule
     * @param context ring or all-gather
     * @param data zero1 or fsdp
     * @param sequenceParallel whether norms work on shards of the tokens
     * @param overlap whether communication overlaps with computation
     */
    public record Ways(String schedule, String context, String data, boolean sequenceParallel, boolean overlap) {
        public static final Ways DEFAULT = new Ways("1f1b", "ring", "zero1", true, true);

        public static Ways of(String schedule) {
            return new Ways(schedule, "ring", "zero1", true, true);
        }

        Ways withoutOverlap() {
            return new Ways(schedule, context, data, sequenceParallel, false);
        }

        @Override
        public String toString() {
            return schedule + " " + context + " " + data + (sequenceParallel ? " sp" : "")
                    + (overlap ? "" : " without overlap");
        }
    }

    /**
     * A parallel layout and the model variant.
     *
     * @param tied whether the loss head shares the embedding's weights
     * @param layers number of layers of the model
     */
    public record Layout(Extents extents, Ways ways, Recompute recompute, int microBatch, boolean tied, int layers) {
        public Layout(Extents extents, Ways ways, Recompute recompute, int microBatch, boolean tied) {
            this(extents, ways, recompute, microBatch, tied, LAYERS);
        }

        public static Layout alone(boolean tied) {
            return alone(tied, LAYERS);
        }

        private static Layout alone(boolean tied, int layers) {
            return new Layout(new Extents(1, 1, 1, 1), Ways.DEFAULT, Recompute.NONE, GLOBAL_BATCH, tied, layers);
        }

        /** The same model on a single rank. */
        public Layout alone() {
            return alone(tied, layers);
        }

        Layout withoutOverlap() {
            return new Layout(extents, ways.withoutOverlap(), recompute, microBatch, tied, layers);
        }

        @Override
        public String toString() {
            return extents + " " + ways + " recompute " + recompute + " micro " + microBatch + (tied ? " tied" : "")
                    + " of " + layers;
        }
    }

    /** The results of a run by published name: losses and norms of every step, gradients of the first, weights after the last. */
    public record Trace(
            List<Double> losses, List<Double> norms, Map<String, double[]> gradients, Map<String, double[]> weights) {
        private static final int COMPARED = 5;

        /** The loss falls by about 0.04 in these steps; a larger model fell by more than 0.05. */
        private static final double LEAST_FALL = 0.035;

        /** Whether the loss falls, and each of the last losses is below each of the first: the losses of so few tokens are noisy. */
        boolean learns() {
            return losses.getLast() < losses.getFirst() - LEAST_FALL
                    && Collections.max(losses.subList(STEPS - COMPARED, STEPS))
                            < Collections.min(losses.subList(0, COMPARED));
        }
    }

    /** Of single ranks, which several test classes compare with: each JVM trains them once. */
    private static final Map<Alone, Trace> ALONE = new ConcurrentHashMap<>();

    private record Alone(Layout layout, PrecisionStrategy precision, int steps) {}

    private Layouts() {}

    /** The trace of the same model on a single rank, in {@link #FP32} or {@link #BF16}. */
    static Trace alone(Layout layout, PrecisionStrategy precision, int steps) {
        return ALONE.computeIfAbsent(
                new Alone(layout.alone(), precision, steps),
                each -> run(each.layout(), steps, precision, request -> new StructuredTokens()));
    }

    static Trace run(Layout layout) {
        return run(layout, STEPS);
    }

    static Trace run(Layout layout, int steps) {
        return run(layout, steps, FP32, request -> new StructuredTokens());
    }

    static Trace run(Layout layout, PrecisionStrategy precision) {
        return run(layout, STEPS, precision, request -> new StructuredTokens());
    }

    static Trace run(Layout layout, int steps, DataSource data) {
        return run(layout, steps, FP32, data);
    }

    private static Trace run(Layout layout, int steps, PrecisionStrategy precision, DataSource data) {
        return run(layout, steps, strategies(layout, precision, cpu(), data));
    }

    /**
     * Another model than the Llama of {@link #sizes}, of the same vocabulary. Its sharding shows in the first gradients and the weights
     * after it; that updates stay equal for 20 steps does not depend on the model.
     */
    static Trace run(Layout layout, Architecture architecture) {
        return run(layout, MATRIX_STEPS, architecture);
    }

    static Trace run(Layout layout, int steps, Architecture architecture) {
        Strategies of = strategies(layout, FP32, cpu(), request -> new StructuredTokens());
        var model = new Strategies.Model(architecture, null, Optional.empty());
        return run(
                layout, steps, new Strategies(of.compute(), of.parallel(), model, of.step(), of.data(), of.outcome()));
    }

    private static Trace run(Layout layout, int steps, Strategies strategies) {
        return run(configuration(layout), steps, strategies);
    }

    static Trace run(RunConfiguration configuration, int steps, Strategies strategies) {
        return run(configuration, steps, strategies, _ -> {});
    }

    /** {@code atEnd}: reads more from the run after its last step. */
    static Trace run(RunConfiguration configuration, int steps, Strategies strategies, Consumer<LocalRun> atEnd) {
        try (var run = LocalRun.open(configuration, strategies)) {
            var losses = new ArrayList<Double>();
            var norms = new ArrayList<Double>();
            Map<String, double[]> gradients = null;
            for (int step = 0; step < steps; step++) {
                var metrics = run.step();
                losses.add(metrics.loss());
                norms.add(metrics.gradientNorm());
                if (step == 0) {
                    gradients = collect(run, true);
                }
            }
            var trace = new Trace(losses, norms, gradients, collect(run, false));
            atEnd.accept(run);
            return trace;
        }
    }

    /** Assembles the shards of all ranks. */
    private static Map<String, double[]> collect(LocalRun run, boolean gradients) {
        Map<String, double[]> whole = new LinkedHashMap<>();
        ModelTensors.of(run.spec()).forEach((path, shape) -> whole.put(path, new double[(int) shape.elements()]));
        run.onEachRank(part -> {
            RankModel model = part.model();
            for (Parameter owned : model.sharded().owned()) {
                Tensor tensor = gradients ? owned.gradient() : owned.value();
                for (OwnedSlices.Piece piece : OwnedSlices.of(owned)) {
                    if (piece.part().replicas().isFirst()) {
                        store(
                                piece.part(),
                                read(model, piece.in(tensor)),
                                whole.get(piece.part().path()));
                    }
                }
            }
            return null;
        });
        return whole;
    }

    private static void store(ParameterPart part, float[] values, double[] whole) {
        Shape shape = part.shape();
        long columns = shape.rank() > 1 ? shape.dim(1) : 1;
        long stride = shape.rank() > 1 ? part.globalShape().dim(1) : 1;
        for (int i = 0; i < values.length; i++) {
            long row = part.offset().get(0) + i / columns;
            long column = shape.rank() > 1 ? part.offset().get(1) + i % columns : 0;
            whole[(int) (row * stride + column)] = values[i];
        }
    }

    private static float[] read(RankModel model, Tensor tensor) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment host = arena.allocate(tensor.byteSize(), 64);
            model.device().transfer().download(model.queue(), tensor, host);
            model.queue().drain();
            if (tensor.dtype() == DType.FP32) {
                return host.toArray(ValueLayout.JAVA_FLOAT);
            }
            if (tensor.dtype() != DType.BF16) {
                throw new AssertionError(tensor.dtype());
            }
            short[] halves = host.toArray(ValueLayout.JAVA_SHORT);
            float[] values = new float[halves.length];
            for (int i = 0; i < values.length; i++) {
                values[i] = Float.intBitsToFloat(halves[i] << 16);
            }
            return values;
        }
    }

    public static RunConfiguration configuration(Layout layout) {
        var defaults = new RunConfiguration();
        var extents = layout.extents();
        var mesh = new MeshSection(
                Choice.of("local"),
                extents.tensor(),
                extents.context(),
                extents.pipeline(),
                extents.data(),
                List.of(MeshAxis.values()),
                Choice.of(layout.ways().schedule()),
                List.of(),
                0,
                Choice.of("column-row"),
                Choice.of(layout.ways().context()),
                Choice.of(layout.ways().data()));
        var training = new TrainingSection(STEPS, TOKENS, layout.microBatch(), GLOBAL_BATCH, 1.0, layout.recompute());
        return new RunConfiguration(
                1,
                7,
                defaults.run(),
                defaults.model(),
                defaults.device(),
                defaults.precision(),
                mesh,
                training,
                defaults.optimizer(),
                defaults.learningRate(),
                defaults.data(),
                new EvaluationSection(0, 5, Map.of(), 0, 0),
                defaults.samples(),
                defaults.fingerprints(),
                defaults.checkpoint(),
                defaults.swap(),
                defaults.audit(),
                List.of());
    }

    /** Another global batch, and no clipping: the norm of gradients depends on who owns which elements. */
    static RunConfiguration withoutClipping(RunConfiguration of, int globalBatch) {
        var training = of.training();
        return new RunConfiguration(
                of.schemaVersion(),
                of.seed(),
                of.run(),
                of.model(),
                of.device(),
                of.precision(),
                of.mesh(),
                new TrainingSection(
                        training.steps(),
                        training.sequenceTokens(),
                        training.microBatch(),
                        globalBatch,
                        0,
                        training.recompute()),
                of.optimizer(),
                of.learningRate(),
                of.data(),
                of.evaluation(),
                of.samples(),
                of.fingerprints(),
                of.checkpoint(),
                of.swap(),
                of.audit(),
                of.monitors());
    }

    /** The model of a layout. */
    public static LlamaOptions sizes(Layout layout) {
        return new LlamaOptions(
                VOCABULARY,
                64,
                192,
                layout.layers(),
                8,
                4,
                0,
                TOKENS,
                1e-5,
                10000,
                null,
                layout.tied(),
                0.02,
                false,
                false,
                0);
    }

    public static ComputeBackend cpu() {
        return new CpuBackendFactory().create(new CpuOptions(1, CpuOptions.VECTOR));
    }

    public static Strategies strategies(Layout layout, ComputeBackend backend, DataSource data) {
        return strategies(layout, FP32, backend, data);
    }

    public static Strategies strategies(
            Layout layout, PrecisionStrategy precision, ComputeBackend backend, DataSource data) {
        return new Strategies(
                new Strategies.Compute(backend, precision),
                TestParallel.of(layout.ways()),
                new Strategies.Model(new LlamaFactory().create(sizes(layout)), null, Optional.empty()),
                new Strategies.Step(
                        new AdamWFactory().create(new AdamWOptions()),
                        new ConstantFactory().create(new ConstantOptions(1e-4, 0))),
                new Strategies.Data(data, Map.of(), Optional.empty()),
                new Strategies.Outcome(Optional.empty(), Optional.empty(), List.of()));
    }
}
