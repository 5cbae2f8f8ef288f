package io.hirundo.data;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.LongStream;
import org.osgi.annotation.versioning.ConsumerType;

/** Samples in the order of one run. A sample depends on the request, the split and its index only. Reading is thread-safe. */
@ConsumerType
public interface SampleSet extends AutoCloseable {
    /** The two splits of the data. */
    enum Split {
        TRAINING,
        VALIDATION
    }

    /** Number of readable samples; 0 if the split does not exist. */
    long count(Split split);

    /**
     * Reads one sample.
     *
     * @param index position in the order, below {@link #count}
     * @param into receives sequence length + 1 tokens: inputs are all but the last, labels all but the first
     * @throws IndexOutOfBoundsException if the index is out of range
     * @throws io.hirundo.DataException if the file is truncated
     */
    void read(Split split, long index, int[] into);

    /** How several documents in one sample are handled; equals {@link DataSource#documents}. */
    default DocumentRules documents() {
        return DocumentRules.NONE;
    }

    /** Upper bound of the token ids (largest known id + 1), without reading all data; 0 if unknown. */
    int vocabularyBound();

    /**
     * The samples whose tokens {@link #vocabularyBound} does not cover, because nobody knows their range: a stream for each dataset of
     * that kind, in the order of the samples. The trainer reads the first of each stream before the first step.
     *
     * @param first no earlier sample is named
     * @return empty if the bound covers all; by default all samples where the bound is unknown
     */
    default List<LongStream> samplesWithoutBound(Split split, long first) {
        return vocabularyBound() > 0 ? List.of() : List.of(LongStream.range(first, count(split)));
    }

    /**
     * The data cursor after this many consumed training samples. Another source can continue from it.
     *
     * @param samples consumed since the run began
     */
    default DataCursor cursorAfter(long samples) {
        return new DataCursor(samples, Map.of());
    }

    /**
     * Identifies what the sample order depends on besides the request's seed. Two sets with the same seed and the same order string
     * return the same sample for an index. Saved with checkpoints. Empty if the order depends on the seed and the source's options
     * only, in particular not on the number of requested samples.
     */
    default String order() {
        return "";
    }

    /**
     * Why a run cannot continue with these samples because their order differs, and how to fix it; empty if it can. The user may
     * override it.
     *
     * @param recorded {@link #order} of the samples read so far; empty if the checkpoint is from a version that did not record it
     */
    default Optional<String> orderConflict(Optional<String> recorded) {
        return Optional.empty();
    }

    /** Which data the run reads more than once, and how often, in one line; empty if none, or unknown. */
    default Optional<String> repetition() {
        return Optional.empty();
    }

    /** One line for the log: files, documents, tokens, epochs. */
    String describe();

    /** Idempotent. */
    @Override
    void close();
}
