package io.hirundo.trainer.internal.run;

import io.hirundo.data.SampleSet;
import io.hirundo.devicecpu.internal.CpuBackendFactory;
import io.hirundo.devicecpu.internal.CpuOptions;
import io.hirundo.mesh.Axis;
import io.hirundo.mesh.Fabric;
import io.hirundo.model.Parameter;
import io.hirundo.model.ParameterPart;
import io.hirundo.model.Recompute;
import io.hirundo.modelllama.internal.LlamaFactory;
import io.hirundo.modelllama.internal.LlamaOptions;
import io.hirundo.optimizeradamw.internal.AdamWFactory;
import io.hirundo.optimizeradamw.internal.AdamWOptions;
import io.hirundo.optimizeradamw.internal.ConstantFactory;
import io.hirundo.optimizeradamw.internal.ConstantOptions;
import io.hirundo.parallelpp.internal.GPipeFactory;
import io.hirundo.parallelpp.internal.InterleavedFactory;
import io.hirundo.parallelpp.internal.InterleavedOptions;
import io.hirundo.parallelpp.internal.OneForwardOneBackwardFactory;
import io.hirundo.parallelpp.internal.ZeroBubbleH1Factory;
import io.hirundo.parallelpp.internal.ZeroBubbleVFactory;
import io.hirundo.precisionnative.internal.Fp32Factory;
import io.hirundo.schedule.PipelineSchedule;
import io.hirundo.strategy.Choice;
import io.hirundo.strategy.NoOptions;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Shape;
import io.hirundo.tensor.Tensor;
import io.hirundo.trainer.internal.config.EvaluationSection;
import io.hirundo.trainer.internal.config.MeshSection;
import io.hirundo.trainer.internal.config.RunConfiguration;
import io.hirundo.trainer.internal.config.TrainingSection;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/** Runs of one small Llama in many layouts. */
final class Layouts {
  static final int STEPS = 20;
  private static final int TOKENS = 64;
  private static final int GLOBAL_BATCH = 8;
  private static final int VOCABULARY = 320;

  /** How a run is split. */
  record Layout(int tensor, int context, int pipeline, int data, String schedule, Recompute recompute, int microBatch, boolean tied) {
    static Layout alone(boolean tied) {
      return new Layout(1, 1, 1, 1, "1f1b", Recompute.NONE, GLOBAL_BATCH, tied);
    }

    @Override
    public String toString() {
      return "tp" + tensor + " cp" + context + " pp" + pipeline + " dp" + data + " " + schedule + " recompute "
          + recompute + " micro " + microBatch + (tied ? " tied" : "");
    }
  }

  /** What a run left: figures of every step, gradients of the first, weights after the last; by published name. */
  record Trace(List<Double> losses, List<Double> norms, Map<String, double[]> gradients, Map<String, double[]> weights) {}

  private Layouts() {}

  static Stream<Layout> fast() {
    return Stream.of(
        new Layout(1, 1, 1, 1, "1f1b", Recompute.NONE, 2, false),
        new Layout(1, 1, 1, 2, "1f1b", Recompute.NONE, 2, false),
        new Layout(1, 1, 1, 4, "1f1b", Recompute.SELECTIVE, 1, true),
        new Layout(1, 1, 2, 1, "1f1b", Recompute.NONE, 1, false),
        new Layout(1, 1, 2, 2, "gpipe", Recompute.FULL, 1, true),
        new Layout(1, 1, 4, 1, "1f1b", Recompute.NONE, 1, true),
        new Layout(2, 1, 1, 1, "1f1b", Recompute.NONE, 2, false),
        new Layout(4, 1, 1, 1, "1f1b", Recompute.SELECTIVE, 4, true),
        new Layout(8, 1, 1, 1, "1f1b", Recompute.NONE, 4, false),
        new Layout(1, 2, 1, 1, "1f1b", Recompute.NONE, 2, false),
        new Layout(1, 4, 1, 1, "1f1b", Recompute.FULL, 2, true),
        new Layout(2, 1, 2, 2, "1f1b", Recompute.NONE, 1, false),
        new Layout(2, 2, 2, 2, "1f1b", Recompute.SELECTIVE, 1, true),
        new Layout(2, 1, 2, 1, "zb-h1", Recompute.NONE, 1, true),
        new Layout(1, 1, 2, 2, "zb-v", Recompute.NONE, 1, true),
        new Layout(2, 2, 2, 1, "interleaved", Recompute.FULL, 1, false));
  }

  static Trace run(Layout layout) {
    var configuration = configuration(layout);
    try (var run = OpenRun.open(configuration, strategies(layout))) {
      var losses = new ArrayList<Double>();
      var norms = new ArrayList<Double>();
      Map<String, double[]> gradients = null;
      for (int step = 0; step < STEPS; step++) {
        var metrics = run.step();
        losses.add(metrics.loss());
        norms.add(metrics.gradientNorm());
        if (step == 0) {
          gradients = collect(run, true);
        }
      }
      return new Trace(losses, norms, gradients, collect(run, false));
    }
  }

  /** What all ranks own, put together. */
  private static Map<String, double[]> collect(OpenRun run, boolean gradients) {
    Map<String, double[]> whole = new LinkedHashMap<>();
    ModelTensors.of(run.spec()).forEach((path, shape) -> whole.put(path, new double[(int) shape.elements()]));
    run.onEachRank(part -> {
      RankModel model = part.model();
      for (Parameter owned : model.weights().parameters().owned()) {
        Tensor tensor = gradients ? owned.gradient() : owned.value();
        for (OwnedPieces.Piece piece : OwnedPieces.of(owned)) {
          if (piece.part().replicas().isFirst()) {
            store(piece.part(), read(model, piece.in(tensor)), whole.get(piece.part().path()));
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
      if (tensor.dtype() != DType.FP32) {
        throw new AssertionError(tensor.dtype());
      }
      model.device().transfer().download(model.queue(), tensor, host);
      model.queue().drain();
      return host.toArray(ValueLayout.JAVA_FLOAT);
    }
  }

  private static RunConfiguration configuration(Layout layout) {
    var defaults = new RunConfiguration();
    var mesh =
        new MeshSection(
            Choice.of("local"), layout.tensor(), layout.context(), layout.pipeline(), layout.data(),
            List.of(Axis.TENSOR, Axis.CONTEXT, Axis.PIPELINE, Axis.DATA), Choice.of(layout.schedule()), List.of(),
            Choice.of("column-row"), Choice.of("ring"), Choice.of("zero1"));
    var training =
        new TrainingSection(STEPS, TOKENS, layout.microBatch(), GLOBAL_BATCH, 1.0, layout.recompute());
    return new RunConfiguration(
        1, 7, defaults.run(), defaults.model(), defaults.device(), defaults.precision(), mesh, training,
        defaults.optimizer(), defaults.learningRate(), defaults.data(), new EvaluationSection(0, 0, Map.of()),
        defaults.checkpoint(), List.of());
  }

  private static Strategies strategies(Layout layout) {
    var sizes = new LlamaOptions(VOCABULARY, 64, 192, 8, 8, 4, 0, TOKENS, 1e-5, 10000, null, layout.tied(), 0.02);
    Fabric fabric = TestParallel.fabric();
    return new Strategies(
        new Strategies.Compute(
            new CpuBackendFactory().create(new CpuOptions(1, CpuOptions.VECTOR)), new Fp32Factory().create(new NoOptions())),
        TestParallel.with(fabric, schedule(layout.schedule())),
        new Strategies.Model(new LlamaFactory().create(sizes), null, Optional.empty()),
        new Strategies.Step(
            new AdamWFactory().create(new AdamWOptions()),
            new ConstantFactory().create(new ConstantOptions(1e-4, 0))),
        new Strategies.Data(request -> new Text(), Map.of(), Optional.empty()),
        new Strategies.Outcome(Optional.empty(), List.of()));
  }

  private static PipelineSchedule schedule(String name) {
    return switch (name) {
      case "1f1b" -> new OneForwardOneBackwardFactory().create(new NoOptions());
      case "gpipe" -> new GPipeFactory().create(new NoOptions());
      case "interleaved" -> new InterleavedFactory().create(new InterleavedOptions());
      case "zb-h1" -> new ZeroBubbleH1Factory().create(new NoOptions());
      case "zb-v" -> new ZeroBubbleVFactory().create(new NoOptions());
      default -> throw new IllegalArgumentException(name);
    };
  }

  /** Tokens with some order in them, so that there is something to learn. */
  private static final class Text implements SampleSet {
    @Override
    public long count(Split split) {
      return 10_000;
    }

    @Override
    public void read(Split split, long index, int[] into) {
      long state = index * 0x9E3779B97F4A7C15L + 1;
      int token = (int) Math.floorMod(index * 37, VOCABULARY);
      for (int i = 0; i < into.length; i++) {
        state = state * 6364136223846793005L + 1442695040888963407L;
        token = (int) ((token * 5L + 3 + (state >>> 62)) % VOCABULARY);
        into[i] = token;
      }
    }

    @Override
    public int vocabularyBound() {
      return VOCABULARY;
    }

    @Override
    public String describe() {
      return "text";
    }

    @Override
    public void close() {}
  }
}
