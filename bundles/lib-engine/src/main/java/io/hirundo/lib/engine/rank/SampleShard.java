package io.hirundo.lib.engine.rank;

import io.hirundo.mesh.Axis;
import java.util.stream.LongStream;

/**
 * A rank's share of the samples. Sample order is the same in all layouts: of every {@code microBatch dataRanks} consecutive samples,
 * data rank d gets the d-th {@code microBatch}.
 *
 * @param microBatch sequences per microbatch
 * @param dataRank this rank's coordinate on the data axis
 * @param dataRanks extent of that axis
 */
public record SampleShard(int microBatch, int dataRank, int dataRanks) {
    public static SampleShard of(Rank rank, int microBatch) {
        return new SampleShard(
                microBatch, rank.coordinate(Axis.DATA), rank.world().mesh().size(Axis.DATA));
    }

    /** Samples per microbatch over all data ranks. */
    public int together() {
        return microBatch * dataRanks;
    }

    /** This rank's part of the {@code count} samples from {@code first}, in order; fewer where the count does not divide. */
    public LongStream of(long first, long count) {
        return LongStream.range(0, count)
                .filter(sample -> sample / microBatch % dataRanks == dataRank)
                .map(sample -> first + sample);
    }
}
