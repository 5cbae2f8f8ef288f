package io.hirundo.trainer.internal.session;

import io.hirundo.data.SampleSet;
import io.hirundo.lib.engine.data.BatchPrefetcher;
import io.hirundo.lib.engine.data.BatchReader;
import io.hirundo.lib.engine.data.HostBatch;
import io.hirundo.lib.engine.model.RankModel;
import io.hirundo.lib.engine.rank.SampleShard;
import io.hirundo.lib.inference.evaluation.Evaluator;
import io.hirundo.lib.run.config.RunConfiguration;
import java.util.LinkedHashMap;
import java.util.Map;

/** What a rank reads: its shard of the training samples, and what it evaluates. Confined to the rank's thread. */
final class RankData implements AutoCloseable {
    private final RankModel model;
    private final Map<String, Evaluator> evaluators = new LinkedHashMap<>();
    private SampleSet samples;
    /** Null while nothing is read. */
    private BatchPrefetcher batches;

    RankData(RankModel model) {
        this.model = model;
    }

    /**
     * Continues with other samples.
     *
     * @param validations data sets with a validation part, by name
     * @param stepsDone of the run
     */
    void read(
            RunConfiguration configuration,
            SampleSet otherSamples,
            Map<String, SampleSet> validations,
            long stepsDone) {
        samples = otherSamples;
        evaluators.clear();
        var training = configuration.training();
        validations.forEach((name, set) -> evaluators.put(
                name,
                new Evaluator(
                        model,
                        set,
                        training.sequenceTokens(),
                        configuration.evaluation().samples(),
                        training.microBatch())));
        seek(configuration, stepsDone);
    }

    /** Continues with the samples behind those of so many steps. */
    void seek(RunConfiguration configuration, long stepsDone) {
        close();
        var training = configuration.training();
        int globalBatch = training.globalBatch();
        batches = new BatchPrefetcher(
                new BatchReader(samples, training.sequenceTokens(), model.spec().vocabulary()),
                SampleShard.of(model.rank(), training.microBatch()),
                globalBatch,
                stepsDone * globalBatch,
                training.steps() * globalBatch);
    }

    HostBatch next() {
        return batches.next();
    }

    /** The next batch, which {@link #next} returns too. */
    HostBatch peek() {
        return batches.peek();
    }

    Evaluator evaluator(String name) {
        return evaluators.get(name);
    }

    /** Stops reading, before the samples are closed. */
    void stop() {
        close();
        evaluators.clear();
    }

    @Override
    public void close() {
        if (batches != null) {
            batches.close();
            batches = null;
        }
    }
}
