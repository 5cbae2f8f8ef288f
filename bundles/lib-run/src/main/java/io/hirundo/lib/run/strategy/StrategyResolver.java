package io.hirundo.lib.run.strategy;

import io.hirundo.ConfigurationException;
import io.hirundo.checkpoint.CheckpointStore;
import io.hirundo.checkpoint.CheckpointStrategy;
import io.hirundo.checkpoint.ModelFormat;
import io.hirundo.checkpoint.ModelNotes;
import io.hirundo.checkpoint.ModelReader;
import io.hirundo.data.DataSource;
import io.hirundo.data.Tokenizer;
import io.hirundo.device.ComputeBackend;
import io.hirundo.event.TrainingListener;
import io.hirundo.lib.engine.kernel.KernelChoice;
import io.hirundo.lib.engine.kernel.KernelOffer;
import io.hirundo.lib.engine.strategy.Strategies;
import io.hirundo.lib.run.config.ModelFolder;
import io.hirundo.lib.run.config.RunConfiguration;
import io.hirundo.lib.run.section.MeshSection;
import io.hirundo.lib.run.section.ModelSection;
import io.hirundo.mesh.Fabric;
import io.hirundo.model.Architecture;
import io.hirundo.optimizer.LearningRateSchedule;
import io.hirundo.optimizer.Optimizer;
import io.hirundo.parallel.ContextParallel;
import io.hirundo.parallel.DataParallel;
import io.hirundo.parallel.TensorParallel;
import io.hirundo.precision.PrecisionStrategy;
import io.hirundo.schedule.PipelineSchedule;
import io.hirundo.strategy.Choice;
import io.hirundo.strategy.StrategyRegistry;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/** Creates every chosen strategy, so that a wrong name or option is reported before a device is opened. */
public final class StrategyResolver {
    private final StrategyRegistry registry;
    private final InstalledOptimizers optimizers;
    private final Function<ComputeBackend, KernelChoice> kernels;

    /** Takes the installed kernels that complete the device. */
    public StrategyResolver(StrategyRegistry registry) {
        this(registry, registry, device -> KernelChoice.of(device, KernelOffer.of(registry)));
    }

    /**
     * Creates strategies that somebody holds.
     *
     * @param installed what messages name; its strategies are not held
     * @param kernels of bundles, for the configured device
     */
    StrategyResolver(
            StrategyRegistry registry, StrategyRegistry installed, Function<ComputeBackend, KernelChoice> kernels) {
        this.registry = registry;
        this.optimizers = new InstalledOptimizers(installed);
        this.kernels = kernels;
    }

    public Strategies resolve(RunConfiguration configuration) {
        var mesh = configuration.mesh();
        var compute = compute(configuration);
        var step = new Strategies.Step(
                registry.create(Optimizer.class, configuration.optimizer(), "optimizer"),
                registry.create(LearningRateSchedule.class, configuration.learningRate(), "learningRate"),
                optimizers::updating);
        var checkpoint =
                optional(CheckpointStrategy.class, configuration.checkpoint().strategy(), "checkpoint.strategy");
        var store = optional(CheckpointStore.class, configuration.checkpoint().store(), "checkpoint.store");
        var outcome = new Strategies.Outcome(checkpoint, store, monitors(configuration));
        var parallel = parallel(mesh);
        var model = model(configuration);
        return new Strategies(compute, parallel, model, step, data(configuration), outcome);
    }

    /** The configured device and precision. */
    public Strategies.Compute compute(RunConfiguration configuration) {
        return compute(configuration.device(), "device", configuration.precision(), "precision");
    }

    /** Device and precision, each with what messages call it. */
    public Strategies.Compute compute(Choice device, String devicePath, Choice precision, String precisionPath) {
        var backend = registry.create(ComputeBackend.class, device, devicePath);
        return new Strategies.Compute(
                backend, registry.create(PrecisionStrategy.class, precision, precisionPath), kernels.apply(backend));
    }

    /** How work is sharded over the ranks of a mesh. */
    public Strategies.Parallel parallel(MeshSection mesh) {
        return new Strategies.Parallel(
                registry.create(Fabric.class, mesh.fabric(), "mesh.fabric"),
                registry.create(PipelineSchedule.class, mesh.schedule(), "mesh.schedule"),
                registry.create(TensorParallel.class, mesh.tensorParallel(), "mesh.tensorParallel"),
                registry.create(ContextParallel.class, mesh.contextParallel(), "mesh.contextParallel"),
                registry.create(DataParallel.class, mesh.dataParallel(), "mesh.dataParallel"));
    }

    /** Empty for a null choice. */
    private <S> Optional<S> optional(Class<S> contract, Choice choice, String path) {
        return Optional.ofNullable(choice).map(given -> registry.create(contract, given, path));
    }

    /** The model to train; reads only the description of {@code model.from}. */
    public Strategies.Model model(RunConfiguration configuration) {
        var section = configuration.model();
        Optional<ModelFormat> format = optional(ModelFormat.class, section.format(), "model.format");
        Choice choice = section.architecture();
        ModelNotes notes = ModelNotes.NONE;
        if (section.from() != null) {
            try (ModelReader reader =
                    format.orElseThrow().open(ModelFolder.require("model.from=", Path.of(section.from())))) {
                choice = reader.architecture();
                // Read now, because the folder may be gone when the model is written.
                notes = section.export() || configuration.samples().areOn() ? reader.notes() : notes;
            }
        }
        return new Strategies.Model(
                registry.create(Architecture.class, choice, "model.architecture"),
                choice,
                format,
                exportFormat(section, format),
                notes);
    }

    private Optional<ModelFormat> exportFormat(ModelSection section, Optional<ModelFormat> format) {
        Optional<ModelFormat> written = section.exportFormat() == null
                ? format
                : optional(ModelFormat.class, section.exportFormat(), "model.exportFormat");
        if (section.export() && !written.map(ModelFormat::isWritable).orElse(true)) {
            throw new ConfigurationException(
                    "model.format: " + section.written().name()
                            + " only reads; set model.exportFormat to huggingface, or model.export to false");
        }
        return written;
    }

    private Strategies.Data data(RunConfiguration configuration) {
        Map<String, DataSource> watched = new LinkedHashMap<>();
        configuration
                .evaluation()
                .watched()
                .forEach((name, choice) ->
                        watched.put(name, registry.create(DataSource.class, choice, "evaluation.watched." + name)));
        var section = configuration.data();
        return new Strategies.Data(
                registry.create(DataSource.class, section.source(), "data.source"),
                watched,
                optional(Tokenizer.class, section.tokenizer(), "data.tokenizer"),
                InheritedTokenizer.of(configuration, registry));
    }

    private List<TrainingListener> monitors(RunConfiguration configuration) {
        var monitors = new ArrayList<TrainingListener>();
        for (int index = 0; index < configuration.monitors().size(); index++) {
            monitors.add(registry.create(
                    TrainingListener.class, configuration.monitors().get(index), "monitors[" + index + "]"));
        }
        return List.copyOf(monitors);
    }
}
