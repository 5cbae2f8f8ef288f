package io.hirundo.lib.run.fit;

import io.hirundo.ConfigurationException;
import io.hirundo.lib.engine.kernel.KernelChoice;
import io.hirundo.lib.engine.layout.BlockCheck;
import io.hirundo.lib.engine.layout.Stages;
import io.hirundo.lib.engine.strategy.Strategies;
import io.hirundo.lib.engine.tensors.ModelTensors;
import io.hirundo.lib.engine.tensors.StagedModelWriter;
import io.hirundo.lib.run.config.RunConfiguration;
import io.hirundo.lib.run.rate.RunRates;
import io.hirundo.lib.run.rate.ScheduleSpan;
import io.hirundo.lib.run.strategy.StrategyResolver;
import io.hirundo.model.ModelSpec;
import io.hirundo.optimizer.Optimizer;
import io.hirundo.precision.PrecisionStrategy;
import io.hirundo.schedule.PipelinePlan;
import io.hirundo.strategy.Choice;
import io.hirundo.tensor.DType;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Stream;

/** Checks that model, batches, mesh, strategies and export fit together. Needs only the configuration: no device, no data. */
public final class LayoutCheck {
    /** What precisions call the option that says whether there is an FP32 copy of the weights. */
    private static final String MASTER_WEIGHTS = "masterWeights";

    private LayoutCheck() {}

    /** Creates all strategies as a run does, and checks them. Reads neither data nor tokenizer. Returns {@link #warnings}. */
    public static List<String> check(RunConfiguration configuration, StrategyResolver resolver) {
        try (Strategies strategies = resolver.resolve(configuration)) {
            checkBegin(configuration, strategies.model().architecture().describe(), strategies);
            return warnings(configuration, strategies);
        }
    }

    /** As {@link #check(RunConfiguration, ModelSpec, Strategies)}, and the learning rates of a run from its first step to its last. */
    public static void checkBegin(RunConfiguration configuration, ModelSpec model, Strategies strategies) {
        check(configuration, model, strategies);
        rates(configuration, strategies).requireAll(1, configuration.training().steps());
    }

    /** Warnings about a configuration that passed the check, but is probably not what the user meant. */
    public static List<String> warnings(RunConfiguration configuration, Strategies strategies) {
        ModelSpec model = strategies.model().architecture().describe();
        var mesh = configuration.mesh();
        var stages =
                Stages.of(model, configuration.stages(), strategies.parallel().schedule(), mesh.pipeline());
        return Stream.of(
                        Stages.withoutLayers(model, stages),
                        rates(configuration, strategies)
                                .note(configuration.training().steps()))
                .flatMap(Optional::stream)
                .toList();
    }

    /**
     * Checks a configuration before a run, or before a swap, which may change the data type of the export.
     *
     * @throws ConfigurationException names the setting and the allowed values
     */
    public static void check(RunConfiguration configuration, ModelSpec model, Strategies strategies) {
        checkLayout(configuration, model, strategies);
        requireUpdate(configuration, strategies);
        requireKernels(configuration, model, strategies);
        requireWritable(configuration, model, strategies);
        int context = configuration.mesh().context();
        if (context > 1) {
            int pieces = strategies.parallel().context().pieces(0, context).size() * context;
            var support = strategies
                    .compute()
                    .precision()
                    .forModel(model)
                    .supportsPieces(configuration.training().sequenceTokens() / pieces);
            if (!support.supported()) {
                throw new ConfigurationException(
                        "precision: cannot compute with mesh.context " + context + ": " + support.reason());
            }
        }
    }

    private static void requireUpdate(RunConfiguration configuration, Strategies strategies) {
        DType parameterType = strategies.compute().precision().parameterType();
        if (!strategies.step().optimizer().updates(parameterType)) {
            Choice precision = configuration.precision();
            var remedies = new ArrayList<String>();
            remedies.add(
                    precision.options().containsKey(MASTER_WEIGHTS)
                            ? "set precision.options." + MASTER_WEIGHTS + "=fp32"
                            : "choose a precision with FP32 master weights");
            strategies.step().updating().apply(parameterType).forEach(name -> remedies.add("optimizer=" + name));
            throw new ConfigurationException("precision: " + precision.name() + " with weights in " + parameterType
                    + " is wrong with optimizer " + configuration.optimizer().name()
                    + " (allowed: FP32 weights); " + String.join(", or ", remedies));
        }
    }

    private static void requireKernels(RunConfiguration configuration, ModelSpec model, Strategies strategies) {
        PrecisionStrategy precision = strategies.compute().precision();
        KernelChoice kernels = strategies.compute().kernels();
        requireKernels(
                "precision",
                configuration.precision().name(),
                precision.forModel(model).kernels(),
                kernels,
                _ -> Optional.empty());
        Optimizer optimizer = strategies.step().optimizer();
        requireKernels(
                "optimizer",
                configuration.optimizer().name(),
                optimizer.kernels(precision.parameterType()),
                kernels,
                optimizer::settingWithout);
    }

    /** {@code settings}: with which a family is not needed. */
    private static void requireKernels(
            String setting,
            String name,
            Set<Class<?>> families,
            KernelChoice kernels,
            Function<Class<?>, Optional<String>> settings) {
        for (Class<?> family : families) {
            if (!kernels.has(family)) {
                String instead = settings.apply(family)
                        .map(each -> ", or add --set " + each)
                        .orElse("");
                throw new ConfigurationException(
                        setting + ": " + kernels.lacks(name, family) + " or " + setting + instead);
            }
        }
    }

    /** The rates of a run that begins with this configuration. */
    private static RunRates rates(RunConfiguration configuration, Strategies strategies) {
        return RunRates.of(
                strategies.step().learningRate(), configuration.training(), ScheduleSpan.of(configuration.training()));
    }

    /**
     * Fails now if the format cannot write this model in the data type of the files, and not after the last step. Beginning a write
     * does not touch storage.
     */
    private static void requireWritable(RunConfiguration configuration, ModelSpec model, Strategies strategies) {
        if (configuration.model().export()) {
            Path folder = Path.of(configuration.run().directory(), "model");
            var tensors = ModelTensors.of(
                    model,
                    configuration.model().exportDtype().of(strategies.compute().precision()));
            strategies
                    .model()
                    .exportFormat()
                    .ifPresent(format -> StagedModelWriter.begin(
                                    format, folder, strategies.model().choice(), tensors)
                            .close());
        }
    }

    private static void checkLayout(RunConfiguration configuration, ModelSpec model, Strategies strategies) {
        Strategies.Parallel parallel = strategies.parallel();
        SizeCheck.check(configuration, model);
        var training = configuration.training();
        var mesh = configuration.mesh();
        int sequenceTokens = training.sequenceTokens();
        if (sequenceTokens > model.maximumSequenceTokens()) {
            throw new ConfigurationException(
                    "training.sequenceTokens: " + sequenceTokens + " is longer than the model allows ("
                            + model.maximumSequenceTokens() + ", its maxPositionEmbeddings)");
        }
        int pieces = mesh.context() == 1
                ? 1
                : parallel.context().pieces(0, mesh.context()).size() * mesh.context();
        if (sequenceTokens % pieces != 0) {
            throw new ConfigurationException("training.sequenceTokens: " + sequenceTokens + " cannot be cut into "
                    + pieces + " pieces for mesh.context " + mesh.context() + "; allowed: multiples of " + pieces);
        }
        BlockCheck.check(model, parallel.sharding(mesh.mesh()), strategies);
        if (mesh.tensor() > 1) {
            // Checked for one sequence, because the last microbatch of a validation may be that small.
            parallel.tensor().residualTokens(sequenceTokens / mesh.context(), mesh.tensor());
        }
        parallel.data().shardSize(mesh.context() * mesh.data());
        Stages.of(model, configuration.stages(), parallel.schedule(), mesh.pipeline());
        checkSchedule(configuration, parallel);
    }

    /** Adds settings to the message of the schedule, which knows only ranks and microbatches. */
    private static void checkSchedule(RunConfiguration configuration, Strategies.Parallel parallel) {
        var training = configuration.training();
        var mesh = configuration.mesh();
        int microbatches = training.globalBatch() / (training.microBatch() * mesh.data());
        try {
            PipelinePlan.of(parallel.schedule(), mesh.pipeline(), microbatches);
        } catch (ConfigurationException rejection) {
            throw new ConfigurationException(
                    "mesh.schedule: " + rejection.getMessage() + " (mesh.pipeline " + mesh.pipeline()
                            + "; microbatches are training.globalBatch "
                            + training.globalBatch() + " over training.microBatch " + training.microBatch()
                            + " times mesh.data " + mesh.data()
                            + ")",
                    rejection);
        }
    }
}
