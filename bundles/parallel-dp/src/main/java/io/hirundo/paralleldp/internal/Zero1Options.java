package io.hirundo.paralleldp.internal;

import io.hirundo.strategy.Setting;

/**
 * Options of {@code zero1}.
 *
 * @param bucketElements parameters that are sent together
 * @param overlapGradients whether gradients are added up while the backward still runs
 * @param overlapParameters whether weights are gathered while the next forward already runs
 */
public record Zero1Options(
    @Setting(value = "elements from which on a bucket of parameters is full; 0 for 40 million, or a million for each rank if that is more", min = 0)
        long bucketElements,
    @Setting("add gradients up while the backward still runs, each bucket as soon as it is complete") boolean overlapGradients,
    @Setting("gather weights while the next forward already runs, each bucket behind the one before") boolean overlapParameters) {
  private static final long SMALLEST = 40_000_000;
  private static final long OF_EACH_RANK = 1_000_000;

  public Zero1Options() {
    this(0, true, true);
  }

  /** Elements from which on a bucket is full. */
  long closingElements(int ranks) {
    return bucketElements == 0 ? Math.max(SMALLEST, OF_EACH_RANK * ranks) : bucketElements;
  }
}
