package io.hirundo.data;

import java.util.Map;
import java.util.Optional;
import org.osgi.annotation.versioning.ConsumerType;

/** Samples in the order of one run: they follow from request, part and index alone. Reading is thread-safe. */
@ConsumerType
public interface SampleSet extends AutoCloseable {
  /** The two parts of the data. */
  enum Split {
    TRAINING,
    VALIDATION
  }

  /** Samples that can be read; 0 where there is no such part. */
  long count(Split split);

  /**
   * Reads one sample.
   *
   * @param index its place in the order, below {@link #count}
   * @param into receives one token more than a sequence has: inputs are all but the last, labels all but the first
   * @throws IndexOutOfBoundsException for another index
   * @throws io.hirundo.DataException when the file ends early
   */
  void read(Split split, long index, int[] into);

  /** What several documents in a sample mean; those of {@link DataSource#documents}. */
  default DocumentRules documents() {
    return DocumentRules.NONE;
  }

  /** One more than the largest token id that occurs, as far as it is known without reading everything; else 0. */
  int vocabularyBound();

  /**
   * What has been read of each part once so many training samples have: the cursor from which another source can go on.
   *
   * @param samples of the run, from its beginning
   */
  default DataCursor cursorAfter(long samples) {
    return new DataCursor(samples, Map.of());
  }

  /**
   * Names what the order of the samples follows from besides the seed of the request: sets of the same seed whose orders have equal
   * names give the same sample for the same index. Saved with checkpoints. Empty where the order follows from seed and options of
   * the source alone, above all not from the number of samples that are requested.
   */
  default String order() {
    return "";
  }

  /**
   * Why a run cannot continue with these samples, because others than the next would come, and how to change that; empty where it
   * can. The user may allow it all the same.
   *
   * @param recorded {@link #order} of the samples that were read before; empty where a checkpoint is of a version of Hirundo that
   *     did not record it
   */
  default Optional<String> orderConflict(Optional<String> recorded) {
    return Optional.empty();
  }

  /** One line for the log: files, documents, tokens, epochs. */
  String describe();

  /** Closing again does nothing. */
  @Override
  void close();
}
