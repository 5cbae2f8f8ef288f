package io.hirundo.lib.run.strategy;

import io.hirundo.ConfigurationException;
import io.hirundo.checkpoint.ModelFormat;
import io.hirundo.checkpoint.ModelNotes;
import io.hirundo.checkpoint.ModelReader;
import io.hirundo.data.DataSource;
import io.hirundo.data.Tokenizer;
import io.hirundo.device.ComputeBackend;
import io.hirundo.lib.engine.kernel.KernelChoice;
import io.hirundo.lib.engine.kernel.KernelOffer;
import io.hirundo.lib.engine.strategy.Strategies;
import io.hirundo.lib.engine.strategy.StrategySet;
import io.hirundo.lib.run.config.ConfiguredStrategy;
import io.hirundo.lib.run.config.ModelFolder;
import io.hirundo.lib.run.config.RunConfiguration;
import io.hirundo.lib.run.section.MeshSection;
import io.hirundo.lib.run.section.ModelSection;
import io.hirundo.model.Architecture;
import io.hirundo.precision.PrecisionStrategy;
import io.hirundo.strategy.Choice;
import io.hirundo.strategy.StrategyRegistry;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;

/** Creates every chosen strategy, so that a wrong name or option is reported before a device is opened. */
public final class StrategyResolver {
    /** Contracts that {@link #model} creates, because the folder of {@code model.from} names the architecture. */
    private static final Set<Class<?>> OF_MODELS = Set.of(Architecture.class, ModelFormat.class);

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
        Map<Boolean, List<ConfiguredStrategy>> closeable = ConfiguredStrategy.of(configuration).stream()
                .filter(strategy -> !OF_MODELS.contains(strategy.contract()))
                .collect(Collectors.partitioningBy(
                        strategy -> AutoCloseable.class.isAssignableFrom(strategy.contract())));
        var chosen = new StrategySet();
        closeable.get(false).forEach(strategy -> create(strategy.contract(), strategy, chosen));
        var device = chosen.get(ComputeBackend.class);
        var compute = new Strategies.Compute(device, chosen.get(PrecisionStrategy.class), kernels.apply(device));
        var model = model(configuration);
        // Last, so that none is left open when something else is rejected.
        closeable.get(true).forEach(strategy -> create(strategy.contract(), strategy, chosen));
        return new Strategies(
                compute,
                Strategies.Parallel.of(chosen),
                model,
                Strategies.Step.of(chosen, optimizers::updating),
                data(configuration, chosen),
                Strategies.Outcome.of(chosen));
    }

    private <S> void create(Class<S> contract, ConfiguredStrategy named, StrategySet created) {
        created.add(contract, named.path(), registry.create(contract, named.choice(), named.path()));
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
        var chosen = new StrategySet();
        ConfiguredStrategy.of("mesh", mesh).forEach(strategy -> create(strategy.contract(), strategy, chosen));
        return Strategies.Parallel.of(chosen);
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

    private Strategies.Data data(RunConfiguration configuration, StrategySet chosen) {
        Map<String, DataSource> sources = chosen.all(DataSource.class);
        Map<String, DataSource> watched = new LinkedHashMap<>();
        configuration
                .evaluation()
                .watched()
                .keySet()
                .forEach(name -> watched.put(name, sources.get("evaluation.watched." + name)));
        return new Strategies.Data(
                Objects.requireNonNull(sources.get("data.source"), "data.source"),
                watched,
                chosen.find(Tokenizer.class),
                InheritedTokenizer.of(configuration, registry));
    }
}
