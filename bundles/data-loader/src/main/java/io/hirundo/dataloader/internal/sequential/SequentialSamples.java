package io.hirundo.dataloader.internal.sequential;

import io.hirundo.data.SampleSet;
import io.hirundo.dataloader.internal.indexed.DatasetDescription;
import io.hirundo.dataloader.internal.indexed.IndexedDataset;
import java.util.Arrays;

/**
 * A dataset in file order, once: sample k reads the tokens from {@code k S} to {@code (k + 1) S}, both included, so that
 * neighbours share one token and every token but the first is predicted once. A rest shorter than a sample is left out. Both
 * parts are the whole dataset.
 */
final class SequentialSamples implements SampleSet {
  private final IndexedDataset dataset;
  private final int sequenceTokens;

  /** Tokens before each stored sequence; one entry more than there are sequences. */
  private final long[] firstTokens;

  SequentialSamples(IndexedDataset dataset, int sequenceTokens) {
    this.dataset = dataset;
    this.sequenceTokens = sequenceTokens;
    this.firstTokens = new long[dataset.sequences() + 1];
    for (int sequence = 0; sequence < dataset.sequences(); sequence++) {
      firstTokens[sequence + 1] = firstTokens[sequence] + dataset.length(sequence);
    }
  }

  @Override
  public long count(Split split) {
    return Math.max(0, dataset.tokens() - 1) / sequenceTokens;
  }

  @Override
  public void read(Split split, long index, int[] into) {
    if (index < 0 || index >= count(split)) {
      throw new IndexOutOfBoundsException("sample " + index + " of " + count(split));
    }
    long token = index * sequenceTokens;
    int sequence = sequenceOf(token);
    for (int filled = 0; filled < into.length; sequence++) {
      int offset = Math.toIntExact(token - firstTokens[sequence]);
      int taken = Math.min(into.length - filled, dataset.length(sequence) - offset);
      dataset.read(sequence, offset, into, filled, taken);
      filled += taken;
      token += taken;
    }
  }

  /** The stored sequence that holds a token; of several that begin there, empty ones among them, the last. */
  private int sequenceOf(long token) {
    int found = Arrays.binarySearch(firstTokens, token);
    if (found < 0) {
      return -found - 2;
    }
    while (firstTokens[found + 1] == token) {
      found++;
    }
    return found;
  }

  @Override
  public int vocabularyBound() {
    return dataset.description().map(DatasetDescription::largestToken).orElse(-1) + 1;
  }

  @Override
  public String describe() {
    return dataset.files().prefix() + ", " + dataset.tokens() + " tokens in file order";
  }

  @Override
  public void close() {
    dataset.close();
  }
}
