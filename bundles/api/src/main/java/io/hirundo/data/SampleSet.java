package io.hirundo.data;

import java.util.Map;
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

  /** One line for the log: files, documents, tokens, epochs. */
  String describe();

  /** Closing again does nothing. */
  @Override
  void close();
}
