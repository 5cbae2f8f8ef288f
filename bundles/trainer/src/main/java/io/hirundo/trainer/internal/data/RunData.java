package io.hirundo.trainer.internal.data;

import io.hirundo.DataException;
import io.hirundo.data.DataCursor;
import io.hirundo.data.SampleRequest;
import io.hirundo.data.SampleSet;
import io.hirundo.data.SampleSet.Split;
import io.hirundo.lib.engine.data.BatchReader;
import io.hirundo.lib.engine.lifecycle.Opened;
import io.hirundo.lib.engine.strategy.Strategies;
import io.hirundo.lib.run.config.RunConfiguration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.LongStream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The open training and validation samples of a run. */
public final class RunData implements AutoCloseable {
    public static final String VALIDATION = "validation";

    private static final int REHEARSED_TOKENS = 1 << 20;

    private static final Logger LOG = LoggerFactory.getLogger(RunData.class);

    private final Opened opened = new Opened();
    private final DataCursor begin;
    private final Map<String, SampleSet> validations = new LinkedHashMap<>();
    private final SampleSet samples;

    /** Opens all at the cursor {@code begin}. On failure everything is closed. */
    public static RunData open(RunConfiguration configuration, Strategies.Data strategies, DataCursor begin) {
        return new RunData(configuration, strategies, begin);
    }

    private RunData(RunConfiguration configuration, Strategies.Data strategies, DataCursor begin) {
        this.begin = begin;
        var request = request(configuration, configuration.training().steps());
        try {
            this.samples = opened.add(strategies.source().open(request, begin), SampleSet::close);
            requireSamples(configuration);
            addValidation(configuration, VALIDATION, samples);
            strategies
                    .watched()
                    .forEach((name, source) ->
                            addValidation(configuration, name, opened.add(source.open(request), SampleSet::close)));
        } catch (RuntimeException | Error failure) {
            opened.closeAfter(failure);
            throw failure;
        }
    }

    /** The samples that a run of so many steps needs. */
    static SampleRequest request(RunConfiguration configuration, long steps) {
        var training = configuration.training();
        return new SampleRequest(
                configuration.seed(),
                training.sequenceTokens(),
                steps * training.globalBatch(),
                configuration.evaluation().samples());
    }

    private void requireSamples(RunConfiguration configuration) {
        var training = configuration.training();
        long needed = training.steps() * training.globalBatch();
        if (samples.count(Split.TRAINING) < needed) {
            throw new DataException("data.source: " + training.steps() + " steps of " + training.globalBatch()
                    + " samples need " + needed + ", but the data gives " + samples.count(Split.TRAINING)
                    + "; lower training.steps or give more data");
        }
    }

    private void addValidation(RunConfiguration configuration, String name, SampleSet set) {
        if (Math.min(configuration.evaluation().samples(), set.count(Split.VALIDATION)) > 0) {
            validations.put(name, set);
        } else {
            LOG.warn(
                    "there is no {} loss: the data's split leaves no sample for it; add documents, or change the split",
                    name);
        }
    }

    /**
     * Reads the first samples of each dataset of which nobody knows the range of its tokens, a million tokens at most, to find those that
     * are beyond the model's vocabulary early.
     *
     * @param stepsDone reading begins with the next step's first sample
     */
    public void rehearse(RunConfiguration configuration, long vocabulary, long stepsDone) {
        var training = configuration.training();
        rehearse(
                configuration, samples, vocabulary, Split.TRAINING, stepsDone * training.globalBatch(), Long.MAX_VALUE);
        for (SampleSet set : validations.values()) {
            rehearse(
                    configuration,
                    set,
                    vocabulary,
                    Split.VALIDATION,
                    0,
                    configuration.evaluation().samples());
        }
    }

    /** {@code end}: samples from this one on are not read in this run. */
    private static void rehearse(
            RunConfiguration configuration, SampleSet set, long vocabulary, Split split, long first, long end) {
        int sequenceTokens = configuration.training().sequenceTokens();
        var reader = new BatchReader(set, sequenceTokens, vocabulary);
        for (LongStream unknown : set.samplesWithoutBound(split, first)) {
            unknown.takeWhile(sample -> sample < end)
                    .limit(Math.max(1, REHEARSED_TOKENS / sequenceTokens))
                    .forEach(sample -> reader.read(split, LongStream.of(sample)));
        }
    }

    public SampleSet samples() {
        return samples;
    }

    /** Sets with a validation part, by name. */
    public Map<String, SampleSet> validations() {
        return validations;
    }

    /** The data cursor that reading started from. */
    DataCursor begin() {
        return begin;
    }

    @Override
    public void close() {
        opened.close();
    }
}
