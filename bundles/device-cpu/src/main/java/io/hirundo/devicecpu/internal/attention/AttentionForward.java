package io.hirundo.devicecpu.internal.attention;

import static io.hirundo.devicecpu.internal.attention.AttentionTiles.KEYS;
import static io.hirundo.devicecpu.internal.attention.AttentionTiles.QUERIES;
import static io.hirundo.devicecpu.internal.attention.AttentionTiles.SCORE_BYTES;
import static io.hirundo.devicecpu.internal.attention.AttentionTiles.SCORE_ROW;

import io.hirundo.devicecpu.internal.memory.Memory;
import io.hirundo.devicecpu.internal.threads.Scratch;
import io.hirundo.devicecpu.internal.vector.Lanes;
import io.hirundo.devicecpu.internal.vector.WideSpan;
import io.hirundo.kernel.attention.AttentionShape;

/**
 * Forward of causal attention, one task for each tile of queries of a head: FlashAttention-2 (Dao 2023, arXiv 2307.08691),
 * algorithm 1. Letters as in {@code io.hirundo.kernel.Kernels}; operands FP32, or BF16 whose tiles are widened.
 */
final class AttentionForward {
    private final AttentionShape shape;
    private final long startsBS;
    private final AttentionOperands operands;
    private final Softmax softmax;

    private final int dim;
    private final int queryTiles;
    private final long rowBytes;
    private final long paddedRowBytes;

    /** Scratch memory of a task. Letters: S queries of a tile, K keys of a tile. */
    private record Tiles(
            Given given,
            long queryDS,
            long outputSD,
            long keyCopyKD,
            long valueCopyKD,
            long scoresKS,
            Softmax.Statistics rows) {
        static Tiles take(Scratch scratch, AttentionOperands operands, int dim, long paddedRowBytes) {
            return new Tiles(
                    Given.take(scratch, operands, dim),
                    scratch.take(dim * SCORE_ROW),
                    scratch.take(QUERIES * paddedRowBytes),
                    scratch.take(KEYS * paddedRowBytes),
                    scratch.take(KEYS * paddedRowBytes),
                    scratch.take(SCORE_BYTES),
                    Softmax.Statistics.take(scratch));
        }
    }

    /** A tile of queries, one of keys and one of values, and the output of a query, widened where they are BF16. */
    private record Given(WideSpan query, WideSpan key, WideSpan value, WideSpan output) {
        static Given take(Scratch scratch, AttentionOperands operands, int dim) {
            return new Given(
                    WideSpan.of(operands.in().query(), QUERIES * dim, scratch),
                    WideSpan.of(operands.in().key(), KEYS * dim, scratch),
                    WideSpan.of(operands.in().value(), KEYS * dim, scratch),
                    WideSpan.of(operands.output(), dim, scratch));
        }
    }

    AttentionForward(AttentionOperands operands) {
        this.operands = operands;
        this.shape = operands.shape();
        this.startsBS = operands.startsAddress();
        this.softmax = new Softmax(shape, startsBS);
        this.dim = shape.heads().dim();
        this.queryTiles = AttentionTiles.count(shape.queryTokens(), QUERIES);
        this.rowBytes = dim * 4L;
        this.paddedRowBytes = Lanes.padded(dim) * 4L;
    }

    int tasks() {
        return shape.sequences() * shape.heads().query() * queryTiles;
    }

    /** Computes one tile of queries. */
    void run(int task, Scratch scratch) {
        int headsOfBatch = shape.sequences() * shape.heads().query();
        // The last tile of a sequence sees most keys: first, so that the workers end together.
        int firstQuery = (queryTiles - 1 - task / headsOfBatch) * QUERIES;
        int head = task % headsOfBatch;
        int queries = Math.min(QUERIES, shape.queryTokens() - firstQuery);
        Tiles tiles = Tiles.take(scratch, operands, dim, paddedRowBytes);
        prepare(
                tiles,
                tiles.given.query.read(((long) head * shape.queryTokens() + firstQuery) * dim, queries * dim),
                queries);

        int sequence = head / shape.heads().query();
        int keyHead = sequence * shape.heads().keyValue()
                + head % shape.heads().query() / shape.heads().group();
        int end = AttentionTiles.seen(shape, firstQuery + queries - 1, 0, shape.keyTokens());
        for (int firstKey = AttentionTiles.firstTile(shape, startsBS, sequence, firstQuery);
                firstKey < end;
                firstKey += KEYS) {
            int keys = Math.min(KEYS, shape.keyTokens() - firstKey);
            long element = ((long) keyHead * shape.keyTokens() + firstKey) * dim;
            scores(tiles, firstQuery, queries, firstKey, keys, tiles.given.key.read(element, keys * dim));
            softmax.update(tiles.scoresKS, tiles.rows, sequence, firstQuery, queries, firstKey, keys);
            output(tiles, firstQuery, queries, firstKey, keys, tiles.given.value.read(element, keys * dim));
        }
        softmax.write(
                operands, tiles.outputSD, paddedRowBytes, tiles.rows, tiles.given.output, head, firstQuery, queries);
    }

    private void prepare(Tiles tiles, long query, int queries) {
        TileRows.transpose(
                query, rowBytes, queries, dim, (float) shape.options().scale(shape.heads()), tiles.queryDS, SCORE_ROW);
        Memory.zero(tiles.outputSD, QUERIES * paddedRowBytes);
        tiles.rows.begin();
    }

    /** {@code scores[key, query] = key . query}, but for vectors of queries that see none of four keys. */
    private void scores(Tiles tiles, int firstQuery, int queries, int firstKey, int keys, long keyKD) {
        long key = keyKD;
        long keyRow = rowBytes;
        if (keys % TileGemm.ROWS != 0) {
            TileRows.copy(keyKD, rowBytes, keys, dim, 1, tiles.keyCopyKD, paddedRowBytes);
            key = tiles.keyCopyKD;
            keyRow = paddedRowBytes;
        }
        int vectors = AttentionTiles.vectors(queries);
        Memory.zero(tiles.scoresKS, SCORE_BYTES);
        for (int row = 0; row < keys; row += TileGemm.ROWS) {
            int blind = AttentionTiles.firstSeeing(shape, firstKey + row, firstQuery) / Lanes.COUNT;
            if (blind < vectors) {
                long column = (long) blind * Lanes.BYTES;
                TileGemm.fourRows(
                        key + row * keyRow,
                        keyRow,
                        4,
                        tiles.queryDS + column,
                        SCORE_ROW,
                        tiles.scoresKS + row * SCORE_ROW + column,
                        SCORE_ROW,
                        vectors - blind,
                        dim);
            }
        }
    }

    /** {@code output[query, :] = rescale[query] output[query, :] + sum over keys of scores[key, query] value[key, :]}. */
    private void output(Tiles tiles, int firstQuery, int queries, int firstKey, int keys, long valueKD) {
        long value = valueKD;
        if (paddedRowBytes != rowBytes) {
            TileRows.copy(valueKD, rowBytes, keys, dim, 1, tiles.valueCopyKD, paddedRowBytes);
            value = tiles.valueCopyKD;
        }
        for (int row = 0; row < queries && firstKey > 0; row++) {
            long target = tiles.outputSD + row * paddedRowBytes;
            TileRows.write(target, Lanes.padded(dim), Memory.getFloat(tiles.rows.rescaleS() + row * 4L), target);
        }
        int vectors = AttentionTiles.vectors(dim);
        for (int row = 0; row < queries; row += TileGemm.ROWS) {
            int seen = AttentionTiles.seen(shape, firstQuery + row + TileGemm.ROWS - 1, firstKey, keys);
            TileGemm.fourRows(
                    tiles.scoresKS + row * 4L,
                    4,
                    SCORE_ROW,
                    value,
                    paddedRowBytes,
                    tiles.outputSD + row * paddedRowBytes,
                    paddedRowBytes,
                    vectors,
                    seen);
        }
    }
}
