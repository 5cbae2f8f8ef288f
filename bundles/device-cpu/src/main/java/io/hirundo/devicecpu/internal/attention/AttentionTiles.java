package io.hirundo.devicecpu.internal.attention;

import static io.hirundo.devicecpu.internal.memory.Memory.ALL;
import static io.hirundo.devicecpu.internal.memory.Memory.ORDER;
import static io.hirundo.devicecpu.internal.vector.Lanes.FLOATS;
import static jdk.incubator.vector.FloatVector.broadcast;
import static jdk.incubator.vector.FloatVector.fromMemorySegment;

import io.hirundo.devicecpu.internal.memory.Memory;
import io.hirundo.devicecpu.internal.vector.Lanes;
import io.hirundo.kernel.attention.AttentionShape;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.IntVector;
import jdk.incubator.vector.VectorOperators;
import jdk.incubator.vector.VectorSpecies;

/**
 * What the forward and the backward of attention share. A tile is {@link #QUERIES} queries of one head by {@link #KEYS}
 * keys. Scores are kept transposed, keys by queries, so that a vector holds one key's scores for as many queries: the
 * running maximum and sum of a query are then lanes, and no reduction over lanes is needed.
 */
public final class AttentionTiles {
    private static final VectorSpecies<Integer> INTS = FLOATS.withLanes(int.class);

    public static final int QUERIES = 64;
    static final int KEYS = 64;
    /** Bytes from one key's scores to the next in a score tile. */
    public static final long SCORE_ROW = QUERIES * 4L;

    static final long SCORE_BYTES = KEYS * SCORE_ROW;
    /** Larger heads do not fit the scratch memory of a worker. */
    static final int MAX_HEAD_DIM = 256;

    private AttentionTiles() {}

    public static int count(int tokens, int tile) {
        return (tokens + tile - 1) / tile;
    }

    static int roundUpToRows(int rows) {
        return (rows + TileGemm.ROWS - 1) & -TileGemm.ROWS;
    }

    static int vectors(int floats) {
        return Lanes.padded(floats) / Lanes.COUNT;
    }

    /**
     * How many keys of a tile the query sees, counted from the tile's first.
     *
     * @param query number of the query in its sequence
     * @param firstKey number of the tile's first key in the sequence
     * @param keys keys of the tile
     */
    public static int seen(AttentionShape shape, int query, int firstKey, int keys) {
        return (int) Math.clamp((long) query + shape.causalOffset() + 1 - firstKey, 0L, keys);
    }

    /** The first query at or after {@code firstQuery} that sees the key, less {@code firstQuery}; may be past the tile. */
    static int firstSeeing(AttentionShape shape, int key, int firstQuery) {
        return (int) Math.clamp((long) key - shape.causalOffset() - firstQuery, 0L, QUERIES);
    }

    /**
     * Sets the scores of a column, one vector of queries, to minus infinity where a query does not see a key, for whatever reason.
     *
     * @param startsBS address of where the queries' documents begin; 0 where a sequence is one
     * @param column the column's first query, counted from {@code firstQuery}
     * @param seen keys that the column's last query sees, or a few more
     * @param scores the column's
     */
    public static void maskAll(
            AttentionShape shape,
            long startsBS,
            int sequence,
            int firstQuery,
            int queries,
            int column,
            int firstKey,
            int seen,
            long scores) {
        mask(shape, firstQuery, column, firstKey, seen, scores);
        maskWindow(shape, firstQuery + column, firstKey, seen, scores);
        maskDocuments(
                shape,
                startsBS,
                sequence,
                firstQuery + column,
                Math.min(Lanes.COUNT, queries - column),
                firstKey,
                seen,
                scores);
    }

    /**
     * Sets the scores of a column, one vector of queries, to minus infinity where a query does not see a key.
     *
     * @param column the column's first query, counted from {@code firstQuery}
     * @param seen keys that the column's last query sees, or a few more
     */
    private static void mask(AttentionShape shape, int firstQuery, int column, int firstKey, int seen, long scores) {
        if (seen(shape, firstQuery + column, firstKey, seen) < seen) {
            long firstSeeing = (long) firstKey - shape.causalOffset() - firstQuery - column;
            maskBelow(scores, seen, (int) firstSeeing);
        }
    }

    /**
     * Of a tile of queries: its first tile of keys that are not all of earlier documents, or before the window; where that begins.
     *
     * @param startsBS address of where the queries' documents begin; 0 where a sequence is one
     */
    public static int firstTile(AttentionShape shape, long startsBS, int sequence, int firstQuery) {
        int first = shape.firstInWindow(firstQuery);
        if (startsBS != 0) {
            int start = Memory.getInt(start(shape, startsBS, sequence, firstQuery))
                    - shape.documents().orElseThrow().firstKey();
            first = Math.max(first, start);
        }
        return first / KEYS * KEYS;
    }

    /**
     * Sets the scores of a column to minus infinity where a key is before the window of the query.
     *
     * @param query the column's first
     * @param seen as in {@link #mask}
     */
    private static void maskWindow(AttentionShape shape, int query, int firstKey, int seen, long scores) {
        // Windows follow each other: the last query's is the last to begin.
        int unseen = Math.min(seen, shape.firstInWindow(query + Lanes.COUNT - 1) - firstKey);
        if (unseen <= 0) {
            return;
        }
        // The window of lane l begins at key l + first of the tile.
        int first = query + shape.causalOffset() - shape.options().window().getAsInt() + 1 - firstKey;
        FloatVector lane = broadcast(FLOATS, 0).addIndex(1);
        FloatVector lowest = broadcast(FLOATS, Float.NEGATIVE_INFINITY);
        for (int key = 0; key < unseen; key++) {
            long at = scores + key * SCORE_ROW;
            FloatVector score = fromMemorySegment(FLOATS, ALL, at, ORDER);
            score.blend(lowest, lane.compare(VectorOperators.GT, (float) (key - first)))
                    .intoMemorySegment(ALL, at, ORDER);
        }
    }

    /**
     * Sets the scores of a column to minus infinity where a key is of an earlier document than the query.
     *
     * @param query the column's first
     * @param queries of the column; lanes behind them belong to nobody
     * @param seen as in {@link #mask}
     */
    private static void maskDocuments(
            AttentionShape shape,
            long startsBS,
            int sequence,
            int query,
            int queries,
            int firstKey,
            int seen,
            long scores) {
        if (startsBS == 0) {
            return;
        }
        long starts = start(shape, startsBS, sequence, query);
        int place = shape.documents().orElseThrow().firstKey() + firstKey;
        // Documents follow each other: the last query's is the last to begin.
        int unseen = Math.min(seen, Memory.getInt(starts + (queries - 1) * 4L) - place);
        if (unseen <= 0) {
            return;
        }
        FloatVector first = starts(starts, queries).sub(place);
        FloatVector lowest = broadcast(FLOATS, Float.NEGATIVE_INFINITY);
        for (int key = 0; key < unseen; key++) {
            long at = scores + key * SCORE_ROW;
            FloatVector score = fromMemorySegment(FLOATS, ALL, at, ORDER);
            score.blend(lowest, first.compare(VectorOperators.GT, (float) key)).intoMemorySegment(ALL, at, ORDER);
        }
    }

    private static long start(AttentionShape shape, long startsBS, int sequence, int query) {
        return startsBS + ((long) sequence * shape.queryTokens() + query) * 4;
    }

    /** As numbers, which are exact up to 16 million tokens; nothing is read behind the last query. */
    private static FloatVector starts(long starts, int queries) {
        if (queries == Lanes.COUNT) {
            return (FloatVector)
                    IntVector.fromMemorySegment(INTS, ALL, starts, ORDER).convert(VectorOperators.I2F, 0);
        }
        FloatVector some = broadcast(FLOATS, 0);
        for (int lane = 0; lane < queries; lane++) {
            some = some.withLane(lane, Memory.getInt(starts + lane * 4L));
        }
        return some;
    }

    /** Masks the lanes before {@code firstLane} in the first vector, before the next lane in the next vector, and so on. */
    private static void maskBelow(long scores, int vectors, int firstLane) {
        FloatVector lane = broadcast(FLOATS, 0).addIndex(1);
        FloatVector lowest = broadcast(FLOATS, Float.NEGATIVE_INFINITY);
        for (int i = 0; i < vectors; i++) {
            long at = scores + i * SCORE_ROW;
            FloatVector score = fromMemorySegment(FLOATS, ALL, at, ORDER);
            score.blend(lowest, lane.compare(VectorOperators.LT, (float) (firstLane + i)))
                    .intoMemorySegment(ALL, at, ORDER);
        }
    }
}
