package io.hirundo.trainer.internal.run;

import io.hirundo.checkpoint.ModelFormat;
import io.hirundo.commlocal.internal.LocalFactory;
import io.hirundo.data.DataSource;
import io.hirundo.dataloader.internal.synthetic.SyntheticFactory;
import io.hirundo.dataloader.internal.synthetic.SyntheticOptions;
import io.hirundo.devicecpu.internal.CpuBackendFactory;
import io.hirundo.event.TrainingEvent;
import io.hirundo.fp8blockwise.internal.Fp8BlockwiseFactory;
import io.hirundo.fp8pertensor.internal.Fp8CurrentFactory;
import io.hirundo.fp8pertensor.internal.Fp8DelayedFactory;
import io.hirundo.mesh.Fabric;
import io.hirundo.modelllama.internal.LlamaFactory;
import io.hirundo.optimizer.LearningRateSchedule;
import io.hirundo.optimizeradamw.internal.AdamWFactory;
import io.hirundo.optimizeradamw.internal.ConstantFactory;
import io.hirundo.parallelcp.internal.AllGatherFactory;
import io.hirundo.parallelcp.internal.RingFactory;
import io.hirundo.paralleldp.internal.FsdpFactory;
import io.hirundo.paralleldp.internal.Zero1Factory;
import io.hirundo.parallelpp.internal.GPipeFactory;
import io.hirundo.parallelpp.internal.InterleavedFactory;
import io.hirundo.parallelpp.internal.OneForwardOneBackwardFactory;
import io.hirundo.parallelpp.internal.ZeroBubbleH1Factory;
import io.hirundo.paralleltp.internal.ColumnRowFactory;
import io.hirundo.precisionnative.internal.Bf16Factory;
import io.hirundo.precisionnative.internal.Fp32Factory;
import io.hirundo.precisionnative.internal.Fp64Factory;
import io.hirundo.strategy.NoOptions;
import io.hirundo.strategy.StrategyFactory;
import io.hirundo.testkit.CtrlC;
import io.hirundo.train.Decision;
import io.hirundo.trainer.internal.config.ConfigurationBinder;
import io.hirundo.trainer.internal.config.RunConfiguration;
import io.hirundo.trainer.internal.config.RunSection;
import io.hirundo.trainer.internal.steer.RunSteering;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;

/** A small training with real strategies, in which something happens after chosen steps. */
final class SteeredRun {
  static final int STEPS = 12;

  /** Somebody presses Ctrl-C when this becomes true. */
  final AtomicBoolean interrupted = new AtomicBoolean();

  /** How often the run has looked whether somebody did. */
  final AtomicLong looks = new AtomicLong();

  /** How the last run ended. */
  TrainingLoop.Ending ending;

  final ChangingCatalog catalog = new ChangingCatalog();
  final List<Double> losses = new ArrayList<>();
  final List<TrainingEvent> events = new ArrayList<>();
  final RunSteering steering;
  private final Map<Long, Runnable> afterStep = new HashMap<>();
  private Runnable afterRefusal = () -> {};
  final Map<String, Object> document = new HashMap<>();
  private boolean leads = true;

  SteeredRun(Path folder) {
    this.steering = new RunSteering("steered", folder, STEPS);
    catalog.add("device", "cpu", new CpuBackendFactory());
    catalog.add("precision", "fp32", new Fp32Factory());
    catalog.add("precision", "bf16", new Bf16Factory());
    catalog.add("precision", "fp64", new Fp64Factory());
    catalog.add("precision", "fp8-blockwise", new Fp8BlockwiseFactory());
    catalog.add("precision", "fp8-current", new Fp8CurrentFactory());
    catalog.add("precision", "fp8-delayed", new Fp8DelayedFactory());
    catalog.add("precision", "faulty", new FaultyPrecision());
    catalog.add("model", "llama", new LlamaFactory());
    catalog.add("fabric", "local", new LocalFactory());
    catalog.add("schedule", "1f1b", new OneForwardOneBackwardFactory());
    catalog.add("schedule", "gpipe", new GPipeFactory());
    catalog.add("schedule", "interleaved", new InterleavedFactory());
    catalog.add("schedule", "zb-h1", new ZeroBubbleH1Factory());
    catalog.add("tensor-parallel", "column-row", new ColumnRowFactory());
    catalog.add("context-parallel", "ring", new RingFactory());
    catalog.add("context-parallel", "all-gather", new AllGatherFactory());
    catalog.add("data-parallel", "zero1", new Zero1Factory());
    catalog.add("data-parallel", "fsdp", new FsdpFactory());
    catalog.add("optimizer", "adamw", new AdamWFactory());
    catalog.add("learning-rate", "constant", new ConstantFactory());
    catalog.add("learning-rate", "endless", new EndlessFactory());
    catalog.add("data", "synthetic", new SyntheticFactory());
    catalog.add("data", "stubborn", new StubbornFactory());
    var sizes =
        Map.of(
            "vocabSize", 96, "hiddenSize", 32, "intermediateSize", 64, "numHiddenLayers", 4, "numAttentionHeads", 4,
            "numKeyValueHeads", 4, "maxPositionEmbeddings", 16);
    document.put("run", Map.of("name", "steered", "directory", folder.toString()));
    document.put(
        "model", Map.of("architecture", Map.of("name", "llama", "options", sizes), "export", false));
    document.put("training", Map.of("steps", STEPS, "sequenceTokens", 16, "globalBatch", 4));
    document.put("device", Map.of("name", "cpu", "options", Map.of("workers", 1)));
    document.put("learningRate", Map.of("name", "constant", "options", Map.of("peak", 1e-3)));
    document.put("data", Map.of("source", Map.of("name", "synthetic", "options", Map.of("vocabulary", 96))));
    document.put("evaluation", Map.of("samples", 2));
    document.put("monitors", List.of());
  }

  SteeredRun with(String section, Map<String, ?> values) {
    document.put(section, values);
    return this;
  }

  SteeredRun monitors(String... names) {
    document.put("monitors", List.of(names));
    return this;
  }

  SteeredRun after(long step, Runnable action) {
    afterStep.put(step, action);
    return this;
  }

  SteeredRun afterRefusal(Runnable action) {
    afterRefusal = action;
    return this;
  }

  /** Writes its model in a format, and begins with the one in this folder where it is not null. */
  SteeredRun model(ModelFormat format, Path from) {
    return model(format, from, 1e-4);
  }

  SteeredRun model(ModelFormat format, Path from, double tolerance) {
    return model(new Fixed<>(ModelFormat.class, format), from, tolerance);
  }

  SteeredRun model(StrategyFactory<?, ModelFormat> format, Path from, double tolerance) {
    catalog.add("model-format", "chosen", format);
    @SuppressWarnings("unchecked")
    var chosen = new HashMap<>((Map<String, Object>) document.get("model"));
    chosen.put("format", "chosen");
    chosen.put("export", true);
    chosen.put("parityTolerance", tolerance);
    if (from != null) {
      chosen.remove("architecture");
      chosen.put("from", from.toString());
    }
    document.put("model", chosen);
    return this;
  }

  /** Asks for a change after a step; it is looked at after the next one. */
  CompletableFuture<Decision> change(long step, String... assignments) {
    var decision = new CompletableFuture<Decision>();
    after(step, () -> steering.change(List.of(assignments)).thenAccept(decision::complete));
    return decision;
  }

  RunConfiguration configuration() {
    // Where a test brings none: null is to be written out.
    document.putIfAbsent("checkpoint", nullStrategy());
    document.put("model", withoutFormat());
    return new ConfigurationBinder(catalog).bind(document);
  }

  SteeredRun run() {
    return run(false);
  }

  /** Goes on from its newest checkpoint, here or in a store. */
  SteeredRun resume() {
    return run(true);
  }

  /** One process of several, with the fabric {@code part}. The one with rank 0 leads. */
  SteeredRun part(PartOfWorld part) {
    catalog.add("fabric", "part", new Fixed<>(Fabric.class, part));
    leads = part.ranks().contains(0);
    return this;
  }

  private SteeredRun run(boolean resume) {
    var configuration = configuration();
    try (var chosen = new RunStrategies(catalog, configuration);
        var directory = resume ? RunDirectory.restored(configuration.run()) : begin(configuration.run())) {
      var hub = new EventHub(chosen::monitors, () -> List.of(this::hear));
      ending = new TrainingLoop(chosen, directory, hub, steering, CtrlC.when(this::look)).run(resume);
    }
    return this;
  }

  private RunDirectory begin(RunSection section) {
    return leads ? RunDirectory.open(section, false) : RunDirectory.led(section);
  }

  private boolean look() {
    boolean now = interrupted.get();
    // Afterwards: what somebody does who waits for a look is seen by the next one.
    looks.incrementAndGet();
    return now;
  }

  private static Map<String, Object> nullStrategy() {
    var section = new HashMap<String, Object>();
    section.put("strategy", null);
    return section;
  }

  private Map<String, Object> withoutFormat() {
    @SuppressWarnings("unchecked")
    var section = new HashMap<>((Map<String, Object>) document.get("model"));
    section.putIfAbsent("format", null);
    return section;
  }

  private void hear(TrainingEvent event) {
    events.add(event);
    if (event instanceof TrainingEvent.StepCompleted step) {
      losses.add(step.metrics().loss());
      afterStep.getOrDefault(step.step(), () -> {}).run();
    } else if (event instanceof TrainingEvent.ChangeRefused) {
      afterRefusal.run();
    }
  }

  <E extends TrainingEvent> List<E> events(Class<E> kind) {
    return events.stream().filter(kind::isInstance).map(kind::cast).toList();
  }

  /** A rate that is no rate. */
  private static final class EndlessFactory implements StrategyFactory<NoOptions, LearningRateSchedule> {
    @Override
    public Class<NoOptions> optionsType() {
      return NoOptions.class;
    }

    @Override
    public Class<LearningRateSchedule> contract() {
      return LearningRateSchedule.class;
    }

    @Override
    public LearningRateSchedule create(NoOptions options) {
      return (step, steps) -> Double.POSITIVE_INFINITY;
    }
  }

  /** Samples of a source that cannot take over. */
  private static final class StubbornFactory implements StrategyFactory<SyntheticOptions, DataSource> {
    @Override
    public Class<SyntheticOptions> optionsType() {
      return SyntheticOptions.class;
    }

    @Override
    public Class<DataSource> contract() {
      return DataSource.class;
    }

    @Override
    public DataSource create(SyntheticOptions options) {
      return new SyntheticFactory().create(options)::open;
    }
  }
}
