package io.hirundo.trainer.internal.run;

import io.hirundo.mesh.Axis;
import java.util.stream.LongStream;

/**
 * A rank's share of the samples, which have one order for all layouts: of every {@code microBatch dataRanks} consecutive ones
 * data rank d has the d-th {@code microBatch}.
 *
 * @param microBatch sequences that go through the model together
 * @param dataRank this rank's place along the data axis
 * @param dataRanks extent of that axis
 */
record SampleShare(int microBatch, int dataRank, int dataRanks) {
  static SampleShare of(Rank rank, int microBatch) {
    return new SampleShare(microBatch, rank.coordinate(Axis.DATA), rank.world().mesh().size(Axis.DATA));
  }

  /** Samples that all data ranks take in one go. */
  int together() {
    return microBatch * dataRanks;
  }

  /** This rank's of the {@code count} samples from {@code first} on, in order; fewer when they do not come out even. */
  LongStream of(long first, long count) {
    return LongStream.range(0, count).filter(sample -> sample / microBatch % dataRanks == dataRank).map(sample -> first + sample);
  }
}
