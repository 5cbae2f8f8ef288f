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
     * Reads the first samples of each set that does not know the range of its tokens, a million tokens at most, to find those that are
     * beyond the model's vocabulary early.
     *
     * @param stepsDone reading begins with the next step's first sample
     */
    public void rehearse(RunConfiguration configuration, long vocabulary, long stepsDone) {
        var training = configuration.training();
        long next = stepsDone * training.globalBatch();
        rehearse(
                samples,
                new BatchReader(samples, training.sequenceTokens(), vocabulary),
                Split.TRAINING,
                next,
                samples.count(Split.TRAINING),
                training.sequenceTokens());
        for (SampleSet set : validations.values()) {
            long count = Math.min(configuration.evaluation().samples(), set.count(Split.VALIDATION));
            rehearse(
                    set,
                    new BatchReader(set, training.sequenceTokens(), vocabulary),
                    Split.VALIDATION,
                    0,
                    count,
                    training.sequenceTokens());
        }
    }

    private static void rehearse(
            SampleSet set, BatchReader reader, Split split, long first, long end, int sequenceTokens) {
        if (set.vocabularyBound() > 0) {
            return;
        }
        long last = Math.min(end, first + Math.max(1, REHEARSED_TOKENS / sequenceTokens));
        for (long sample = first; sample < last; sample++) {
            reader.read(split, LongStream.of(sample));
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
