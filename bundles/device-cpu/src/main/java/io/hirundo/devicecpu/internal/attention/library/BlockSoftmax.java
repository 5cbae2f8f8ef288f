package io.hirundo.devicecpu.internal.attention.library;

import static io.hirundo.devicecpu.internal.attention.AttentionTiles.QUERIES;
import static io.hirundo.devicecpu.internal.attention.AttentionTiles.SCORE_ROW;

import io.hirundo.devicecpu.internal.attention.AttentionTiles;
import io.hirundo.devicecpu.internal.attention.BackwardTiles.RowTerms;
import io.hirundo.devicecpu.internal.attention.ScoreGradients;
import io.hirundo.devicecpu.internal.attention.Softmax.Statistics;
import io.hirundo.devicecpu.internal.memory.Memory;
import io.hirundo.devicecpu.internal.vector.ElementwiseLoops;
import io.hirundo.devicecpu.internal.vector.Lanes;
import io.hirundo.devicecpu.internal.vector.PairLanes;
import io.hirundo.devicecpu.internal.vector.VectorExp;
import io.hirundo.devicecpu.internal.vector.VectorTanh;
import io.hirundo.kernel.attention.AttentionShape;

/**
 * From the scores of a block of keys, not yet scaled, to rounded probabilities, and from the gradients of probabilities to rounded gradients of
 * scores. Blocks go through the loops in parts that stay in the L1 cache: a vector's column of a complete block would not.
 */
final class BlockSoftmax {
    private static final int PART = 64;

    private final AttentionShape shape;
    private final long startsBS;
    private final float scale;
    private final ScoreGradients capped;

    /** @param startsBS address of where the queries' documents begin; 0 where a sequence is one */
    BlockSoftmax(AttentionShape shape, long startsBS) {
        this.shape = shape;
        this.startsBS = startsBS;
        this.scale = (float) shape.options().scale(shape.heads());
        this.capped = new ScoreGradients(shape, startsBS);
    }

    /** A tile of queries of a sequence. */
    record Queries(int sequence, int first, int count) {}

    /**
     * Rounds probabilities up to the running maximum, and brings the statistics up to date.
     *
     * @param probabilitiesKS zeros where no query of a vector sees a key
     */
    void probabilities(long scoresKS, Statistics rows, Queries queries, KeyBlock keys, long probabilitiesKS) {
        boolean isCapped = shape.options().softCap().isPresent();
        float factor = isCapped ? 1 : scale;
        if (isCapped) {
            ElementwiseLoops.scale(scoresKS, keys.count() * QUERIES, scale);
        }
        Memory.copy(rows.maxS(), rows.rescaleS(), SCORE_ROW);
        for (int column = 0; column < queries.count; column += Lanes.COUNT) {
            int seen = seen(queries, keys, column);
            long at = column * 4L;
            if (isCapped) {
                VectorTanh.cap(scoresKS + at, SCORE_ROW, seen, (float)
                        shape.options().softCap().getAsDouble());
            }
            AttentionTiles.maskAll(
                    shape,
                    startsBS,
                    queries.sequence,
                    queries.first,
                    queries.count,
                    column,
                    keys.first(),
                    seen,
                    scoresKS + at);
            ScoreLoops.max(scoresKS + at, seen, factor, rows.maxS() + at);
            ScoreLoops.shift(rows.maxS() + at, rows.shiftS() + at, rows.rescaleS() + at);
        }
        int vectors = Lanes.padded(queries.count) / Lanes.COUNT;
        VectorExp.exp(rows.rescaleS(), rows.rescaleS(), Lanes.BYTES, vectors, 1, rows.zeroS(), rows.unusedS());
        ElementwiseLoops.product(rows.sumS(), rows.rescaleS(), vectors * Lanes.COUNT, rows.sumS());
        for (int part = 0; part < keys.count(); part += PART) {
            int count = Math.min(PART, keys.count() - part);
            for (int column = 0; column < QUERIES; column += Lanes.COUNT) {
                int seen = column < queries.count ? Math.clamp(seen(queries, keys, column) - part, 0, count) : 0;
                long at = column * 4L;
                long rounded = probabilitiesKS + part * ScoreLoops.ROUNDED_ROW + column * 2L;
                ScoreLoops.exponentiate(
                        scoresKS + part * SCORE_ROW + at, seen, factor, rows.shiftS() + at, rows.sumS() + at, rounded);
                ScoreLoops.zero(rounded + seen * ScoreLoops.ROUNDED_ROW, count - seen);
            }
        }
    }

    /**
     * Divides a tile's outputs by their sums, rounds them, and writes the logarithms of the sums.
     *
     * @param output address of the first query's row of the head
     */
    void write(long outputSD, Statistics rows, Queries queries, long output, long logSumExp) {
        int dim = shape.heads().dim();
        long outputRow = shape.heads().outputChannels() * 2L;
        for (int row = 0; row < queries.count; row++) {
            float total = Memory.getFloat(rows.sumS() + row * 4L);
            boolean seesNone = total == 0;
            ScoreLoops.write(outputSD + row * dim * 4L, dim, seesNone ? 0 : 1 / total, output + row * outputRow);
            double log =
                    seesNone ? Double.NEGATIVE_INFINITY : Memory.getFloat(rows.maxS() + row * 4L) + Math.log(total);
            Memory.setFloat(logSumExp + row * 4L, (float) log);
        }
    }

    /**
     * What the gradients of a tile's queries need of each.
     *
     * @param output address of the first query's row of the head; its gradient's rows are as far apart
     */
    void terms(long logSumExp, long output, long outputGradient, Queries queries, RowTerms rows) {
        Memory.zero(rows.shiftS(), SCORE_ROW);
        Memory.zero(rows.deltaS(), SCORE_ROW);
        Memory.zero(rows.unusedS(), SCORE_ROW);
        for (int row = 0; row < queries.count; row++) {
            // Minus infinity less minus infinity would be NaN where a query sees no key; with 0 its probabilities are
            // 0.
            float log = Memory.getFloat(logSumExp + row * 4L);
            Memory.setFloat(rows.shiftS() + row * 4L, log == Float.NEGATIVE_INFINITY ? 0 : -PairLanes.canonical(log));
        }
        ScoreLoops.dots(
                output,
                outputGradient,
                shape.heads().outputChannels() * 2L,
                queries.count,
                shape.heads().dim(),
                rows.deltaS());
    }

    /** Rounds probabilities and the gradients of scores, before these are scaled; zeros where no query of a vector sees a key. */
    void gradients(
            long scoresKS,
            long gradientsKS,
            RowTerms rows,
            Queries queries,
            KeyBlock keys,
            long probabilitiesKS,
            long roundedKS) {
        if (shape.options().softCap().isPresent()) {
            cappedGradients(scoresKS, gradientsKS, rows, queries, keys, probabilitiesKS, roundedKS);
            return;
        }
        for (int column = 0; column < queries.count; column += Lanes.COUNT) {
            AttentionTiles.maskAll(
                    shape,
                    startsBS,
                    queries.sequence,
                    queries.first,
                    queries.count,
                    column,
                    keys.first(),
                    seen(queries, keys, column),
                    scoresKS + column * 4L);
        }
        for (int part = 0; part < keys.count(); part += PART) {
            int count = Math.min(PART, keys.count() - part);
            for (int column = 0; column < QUERIES; column += Lanes.COUNT) {
                int seen = column < queries.count ? Math.clamp(seen(queries, keys, column) - part, 0, count) : 0;
                long at = column * 4L;
                long wide = part * SCORE_ROW + at;
                long narrow = part * ScoreLoops.ROUNDED_ROW + column * 2L;
                ScoreLoops.gradients(
                        scoresKS + wide,
                        gradientsKS + wide,
                        seen,
                        scale,
                        rows.shiftS() + at,
                        rows.deltaS() + at,
                        probabilitiesKS + narrow,
                        roundedKS + narrow);
                ScoreLoops.zero(probabilitiesKS + narrow + seen * ScoreLoops.ROUNDED_ROW, count - seen);
                ScoreLoops.zero(roundedKS + narrow + seen * ScoreLoops.ROUNDED_ROW, count - seen);
            }
        }
    }

    /** With a soft cap, whose slope the gradients need before the mask: pass by pass. */
    private void cappedGradients(
            long scoresKS,
            long gradientsKS,
            RowTerms rows,
            Queries queries,
            KeyBlock keys,
            long probabilitiesKS,
            long roundedKS) {
        ElementwiseLoops.scale(scoresKS, keys.count() * QUERIES, scale);
        capped.apply(
                scoresKS,
                gradientsKS,
                rows,
                queries.sequence,
                queries.first,
                queries.count,
                keys.first(),
                keys.count());
        round(queries, keys, scoresKS, 1, probabilitiesKS);
        round(queries, keys, gradientsKS, scale, roundedKS);
    }

    private void round(Queries queries, KeyBlock keys, long blockKS, float factor, long roundedKS) {
        for (int column = 0; column < QUERIES; column += Lanes.COUNT) {
            int seen = column < queries.count ? seen(queries, keys, column) : 0;
            for (int key = seen; key < keys.count(); key++) {
                Memory.zero(blockKS + key * SCORE_ROW + column * 4L, Lanes.BYTES);
            }
        }
        if (factor != 1) {
            ElementwiseLoops.scale(blockKS, keys.count() * QUERIES, factor);
        }
        ElementwiseLoops.toBf16(blockKS, keys.count() * QUERIES, roundedKS);
    }

    /** Keys of the block that the last query of a vector sees. */
    private int seen(Queries queries, KeyBlock keys, int column) {
        return AttentionTiles.seen(shape, queries.first + column + Lanes.COUNT - 1, keys.first(), keys.count());
    }
}
