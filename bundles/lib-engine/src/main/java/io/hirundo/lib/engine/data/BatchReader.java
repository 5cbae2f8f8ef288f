package io.hirundo.lib.engine.data;

import io.hirundo.DataException;
import io.hirundo.data.SampleSet;
import io.hirundo.data.SampleSet.Split;
import java.util.stream.LongStream;

/** Assembles batches of samples and checks their tokens against the model. */
public final class BatchReader {
    private final SampleSet samples;
    private final int sequenceTokens;
    private final long vocabulary;

    public BatchReader(SampleSet samples, int sequenceTokens, long vocabulary) {
        if (samples.vocabularyBound() > vocabulary) {
            throw new DataException("the data was made for a vocabulary of " + samples.vocabularyBound()
                    + " tokens, but the model has only " + vocabulary
                    + "; tokenize the data with the model's tokenizer, or use a model of that vocabulary");
        }
        this.samples = samples;
        this.sequenceTokens = sequenceTokens;
        this.vocabulary = vocabulary;
    }

    public HostBatch read(Split split, LongStream indices) {
        return new HostBatch(indices.mapToObj(index -> row(split, index)).toList(), samples.documents());
    }

    private int[] row(Split split, long sample) {
        int[] row = new int[sequenceTokens + 1];
        samples.read(split, sample, row);
        for (int token : row) {
            if (token < 0 || token >= vocabulary) {
                throw new DataException(
                        "sample " + sample + " holds token " + token + ", outside the model's vocabulary of "
                                + vocabulary + "; tokenize the data with the model's tokenizer");
            }
        }
        return row;
    }
}
