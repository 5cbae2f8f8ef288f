package io.hirundo.trainer.internal.export;

import io.hirundo.CheckpointException;
import io.hirundo.ConfigurationException;
import io.hirundo.checkpoint.CheckpointContext;
import io.hirundo.checkpoint.CheckpointInfo;
import io.hirundo.checkpoint.CheckpointSession;
import io.hirundo.checkpoint.CheckpointStrategy;
import io.hirundo.checkpoint.ModelTensor;
import io.hirundo.checkpoint.ModelWriting;
import io.hirundo.command.ShellLine;
import io.hirundo.data.DataSource;
import io.hirundo.data.Tokenizer;
import io.hirundo.event.TrainingEvent.ModelCompared;
import io.hirundo.lib.engine.accounting.AccountedLedger;
import io.hirundo.lib.engine.model.ModelWeights;
import io.hirundo.lib.engine.rank.Rank;
import io.hirundo.lib.engine.strategy.Strategies;
import io.hirundo.lib.engine.tensors.ConvertingModelWriter;
import io.hirundo.lib.engine.tensors.ModelTensors;
import io.hirundo.lib.engine.tensors.StagedModelWriter;
import io.hirundo.lib.inference.evaluation.BlockwiseModel;
import io.hirundo.lib.run.config.RunConfiguration;
import io.hirundo.lib.run.section.MeshSection;
import io.hirundo.lib.run.strategy.InheritedTokenizer;
import io.hirundo.lib.run.strategy.StrategyResolver;
import io.hirundo.strategy.StrategyRegistry;
import io.hirundo.tensor.DType;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * Converts a checkpoint of any layout to a model folder, without optimizer state. The model may be larger
 * than memory: weights are copied in windows, and the parity check runs one block at a time on the device.
 */
public final class CheckpointExport {
    /**
     * The result.
     *
     * @param step of the checkpoint
     * @param compared empty if the files were not compared with the model
     */
    public record Written(long step, Optional<ModelCompared> compared) {}

    /** Large, because each window opens the checkpoint. */
    private static final long WINDOW_BYTES = 256L << 20;

    private final StrategyRegistry registry;
    private final RunConfiguration configuration;
    private final long windowBytes;

    /** {@code configuration}: of the run that saved the checkpoint. */
    public CheckpointExport(StrategyRegistry registry, RunConfiguration configuration) {
        this(registry, configuration, WINDOW_BYTES);
    }

    /** {@code windowBytes}: of the model in memory at once, on the device and on the host each. */
    CheckpointExport(StrategyRegistry registry, RunConfiguration configuration, long windowBytes) {
        this.registry = registry;
        this.configuration = configuration;
        this.windowBytes = windowBytes;
    }

    /**
     * Writes model and tokenizer as the run does at its end. The run must not be active.
     *
     * @param checkpoint its folder
     * @param into folder of the model; an existing one is replaced
     * @return the step of the checkpoint, and the result of the parity check
     */
    public Written write(Path checkpoint, Path into) {
        var resolver = new StrategyResolver(registry);
        var described = resolver.model(configuration);
        var format = described
                .exportFormat()
                .orElseThrow(() -> new ConfigurationException(
                        "model.format: the run has none; give one with --set model.exportFormat=huggingface"));
        var compute = resolver.compute(configuration);
        Strategies.Parallel parallel = resolver.parallel(new MeshSection());
        try (Tokenizer configured = tokenizer();
                Tokenizer inherited =
                        InheritedTokenizer.of(configuration, registry).orElse(null);
                Rank rank = Rank.alone(compute.backend(), parallel.fabric(), AccountedLedger.of(compute.backend()));
                CheckpointSession session = open(rank, checkpoint)) {
            var tokenizer = new ModelTokenizer(Optional.ofNullable(configured), Optional.ofNullable(inherited));
            tokenizer.requireFor(described.architecture().describe());
            CheckpointInfo found = find(session, checkpoint);
            var data = registry.create(DataSource.class, configuration.data().source(), "data.source");
            var trained = new TrainedModel(
                    configuration, described, compute.precision(), data, Optional.ofNullable(configured), found.step());
            DType saved = compute.precision().parameterType();
            List<ModelTensor> written = ModelTensors.of(described.architecture().describe(), trained.dtype());
            List<ModelTensor> tensors = ModelTensors.of(described.architecture().describe(), saved);
            Optional<ModelParity> parity;
            try (ModelWriting writing = ConvertingModelWriter.of(
                    StagedModelWriter.begin(format, into, described.choice(), written), saved, trained.dtype())) {
                writing.create();
                new CheckpointCopy(rank, session, found, windowBytes).copy(tensors, writing);
                writing.flush();
                var blocks = new BlockwiseModel(
                        rank,
                        compute,
                        parallel,
                        described.architecture(),
                        block -> session.load(found, new ModelWeights(block).stateShards(List.of())));
                parity = ModelParity.of(
                        blocks, found.step(), configuration.model().parityTolerance());
                writing.commit(model -> {
                    parity.ifPresent(each -> each.requireWritten(into, model));
                    tokenizer.saveWith(model);
                    model.folder().ifPresent(folder -> format.describe(folder, trained.description()));
                });
            }
            tokenizer.saveInto(into);
            return new Written(found.step(), parity.flatMap(ModelParity::found));
        }
    }

    private CheckpointSession open(Rank rank, Path checkpoint) {
        if (configuration.checkpoint().strategy() == null) {
            throw new ConfigurationException(
                    "checkpoint.strategy: the run has none; give one with --set checkpoint.strategy=sync");
        }
        var strategy = registry.create(
                CheckpointStrategy.class, configuration.checkpoint().strategy(), "checkpoint.strategy");
        return strategy.open(new CheckpointContext(checkpoint.getParent(), rank.world(), rank.device(), rank.queue()));
    }

    private static CheckpointInfo find(CheckpointSession session, Path checkpoint) {
        return session.list().stream()
                .filter(info -> info.path().equals(checkpoint))
                .findFirst()
                .orElseThrow(() -> new CheckpointException(checkpoint + " is not a complete checkpoint; see "
                        + ShellLine.of("checkpoint", "list", String.valueOf(checkpoint.getParent()))));
    }

    /** Null where the run has none. */
    private Tokenizer tokenizer() {
        var choice = configuration.data().tokenizer();
        return choice == null ? null : registry.create(Tokenizer.class, choice, "data.tokenizer");
    }
}
