package io.hirundo.trainer.internal.service;

import io.hirundo.CheckpointException;
import io.hirundo.ConfigurationException;
import io.hirundo.checkpoint.CheckpointContext;
import io.hirundo.checkpoint.CheckpointInfo;
import io.hirundo.checkpoint.CheckpointSession;
import io.hirundo.checkpoint.CheckpointStrategy;
import io.hirundo.checkpoint.StateShard;
import io.hirundo.data.DataSource;
import io.hirundo.data.SampleSet.Split;
import io.hirundo.lib.engine.accounting.AccountedLedger;
import io.hirundo.lib.engine.data.BatchReader;
import io.hirundo.lib.engine.layer.OperandObserver;
import io.hirundo.lib.engine.layout.StageRequest;
import io.hirundo.lib.engine.model.ModelWeights;
import io.hirundo.lib.engine.model.RankGemmState;
import io.hirundo.lib.engine.model.RankModel;
import io.hirundo.lib.engine.rank.Rank;
import io.hirundo.lib.engine.step.StepRunner;
import io.hirundo.lib.engine.strategy.Strategies;
import io.hirundo.lib.run.config.ConfigurationBinder;
import io.hirundo.lib.run.config.RunConfiguration;
import io.hirundo.lib.run.section.MeshSection;
import io.hirundo.lib.run.strategy.StrategyCatalog;
import io.hirundo.lib.run.strategy.StrategyResolver;
import io.hirundo.precision.LinearShape;
import io.hirundo.train.RunFolder;
import io.hirundo.train.RunInspector;
import io.hirundo.trainer.internal.checkpoint.value.SavedCursor;
import io.hirundo.trainer.internal.checkpoint.value.SavedValues;
import io.hirundo.trainer.internal.data.DataOrder;
import io.hirundo.trainer.internal.data.RunData;
import io.hirundo.trainer.internal.record.RunDirectory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.LongStream;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Reference;

/** Opens a run's newest checkpoint of any layout on one rank. */
@Component
public final class RunInspection implements RunInspector {
    private final StrategyCatalog catalog;

    @Activate
    public RunInspection(@Reference StrategyCatalog catalog) {
        this.catalog = catalog;
    }

    @Override
    public void inspect(Path run, List<String> assignments, int microbatches, Visitor visitor) {
        Path folder = run.toAbsolutePath().normalize();
        Path file = folder.resolve(RunFolder.CONFIGURATION);
        if (folder.getParent() == null || !Files.exists(file)) {
            throw new ConfigurationException(
                    run + " is not a run directory: it has no " + RunFolder.CONFIGURATION + "; give runs/NAME");
        }
        RunConfiguration configuration = new ConfigurationBinder(catalog).read(file, assignments);
        if (configuration.checkpoint().strategy() == null) {
            throw new ConfigurationException(
                    "checkpoint.strategy: the run has none; give one with --set checkpoint.strategy=sync");
        }
        // Opening a run's checkpoints removes unfinished ones, so no other process may be writing any.
        try (var directory = RunDirectory.ofEnded(folder, run)) {
            inspect(configuration, directory.checkpoints(), microbatches, visitor);
        }
    }

    private void inspect(RunConfiguration configuration, Path checkpoints, int microbatches, Visitor visitor) {
        var resolver = new StrategyResolver(catalog);
        var compute = resolver.compute(configuration);
        var parallel = resolver.parallel(new MeshSection());
        var architecture = resolver.model(configuration).architecture();
        var source = catalog.create(DataSource.class, configuration.data().source(), "data.source");
        var strategy = catalog.create(
                CheckpointStrategy.class, configuration.checkpoint().strategy(), "checkpoint.strategy");
        try (Rank rank = Rank.alone(compute.backend(), parallel.fabric(), AccountedLedger.of(compute.backend()));
                CheckpointSession session =
                        strategy.open(new CheckpointContext(checkpoints, rank.world(), rank.device(), rank.queue()));
                RankModel model = RankModel.open(rank, compute, parallel, architecture, StageRequest.ONE_STAGE)) {
            CheckpointInfo newest = session.list().stream()
                    .findFirst()
                    .orElseThrow(() -> new CheckpointException("there is no complete checkpoint in " + checkpoints));
            Map<String, Object> values = session.values(newest);
            var begin = SavedCursor.cursor(newest, values.get(SavedValues.DATA_BEGIN));
            try (RunData data =
                    RunData.open(configuration, new Strategies.Data(source, Map.of(), Optional.empty()), begin)) {
                DataOrder.require(configuration, data.samples(), newest, values);
                load(session, newest, model);
                model.sharded().allocateGradients();
                visitor.begin(new Inspected(newest.step(), configuration.precision(), model.spec()));
                try {
                    new MicrobatchPass(configuration, model, data, visitor).at(newest.step(), microbatches);
                } finally {
                    visitor.end();
                }
            }
        }
    }

    /** Loads weights, and the GEMM state (amax history for instance) as far as the checkpoint has it. */
    private static void load(CheckpointSession session, CheckpointInfo checkpoint, RankModel model) {
        RankGemmState memory = model.blocks().memory();
        // A checkpoint that cannot list its tensors may come from another precision, so its state is left out.
        Set<String> keys = session.keys(checkpoint).orElse(Set.of());
        var shards = new ArrayList<>(new ModelWeights(model).stateShards(List.of()));
        var missing = new ArrayList<String>();
        for (StateShard shard : memory.shards()) {
            if (keys.contains(shard.key())) {
                shards.add(shard);
            } else {
                missing.add(shard.key());
            }
        }
        session.load(checkpoint, shards);
        memory.restored(missing);
        model.weightsChanged();
    }

    /** Runs microbatches and hands their operands to the visitor. */
    private record MicrobatchPass(RunConfiguration configuration, RankModel model, RunData data, Visitor visitor) {
        void at(long step, int microbatches) {
            var training = configuration.training();
            var reader = new BatchReader(
                    data.samples(), training.sequenceTokens(), model.spec().vocabulary());
            var steps = new StepRunner(model, null, training.step());
            long ofRun = training.steps() * training.globalBatch();
            int together = training.microBatch();
            long wanted = (long) microbatches * together;
            if (wanted > ofRun) {
                throw new ConfigurationException(microbatches + " microbatches of " + together + " samples exceed the "
                        + ofRun + " of the run; use fewer");
            }
            long first = Math.min(step * training.globalBatch(), ofRun - wanted);
            for (int microbatch = 0; microbatch < microbatches; microbatch++) {
                long begin = first + (long) microbatch * together;
                try (var _ = model.blocks().layers().observe(observer(microbatch))) {
                    steps.accumulateGradients(reader.read(Split.TRAINING, LongStream.range(begin, begin + together)));
                }
            }
        }

        private OperandObserver observer(int microbatch) {
            Set<String> seen = new HashSet<>();
            return (queue, weight, xTK, dyTN) -> {
                String name = weight.spec().name();
                if (seen.add(name)) {
                    var shape = new LinearShape(
                            name,
                            weight.spec().shape().dim(0),
                            weight.spec().shape().dim(1));
                    visitor.operands(
                            microbatch, new LayerOperands(shape, model.device(), queue, weight.value(), xTK, dyTN));
                }
            };
        }
    }
}
