package io.hirundo.trainer.internal.rank;

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
public record SampleShard(int microBatch, int dataRank, int dataRanks) {
  public static SampleShard of(Rank rank, int microBatch) {
    return new SampleShard(microBatch, rank.coordinate(Axis.DATA), rank.world().mesh().size(Axis.DATA));
  }

  /** Samples that all data ranks take in one go. */
  public int together() {
    return microBatch * dataRanks;
  }

  /** This rank's of the {@code count} samples from {@code first} on, in order; fewer when they do not come out even. */
  public LongStream of(long first, long count) {
    return LongStream.range(0, count).filter(sample -> sample / microBatch % dataRanks == dataRank).map(sample -> first + sample);
  }
}
