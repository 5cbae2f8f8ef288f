package io.hirundo.devicecpu.internal.attention;

import static io.hirundo.devicecpu.internal.attention.AttentionTiles.KEYS;
import static io.hirundo.devicecpu.internal.attention.AttentionTiles.QUERIES;
import static io.hirundo.devicecpu.internal.attention.AttentionTiles.SCORE_BYTES;
import static io.hirundo.devicecpu.internal.attention.AttentionTiles.SCORE_ROW;

import io.hirundo.devicecpu.internal.memory.Memory;
import io.hirundo.devicecpu.internal.tensor.CpuTensor;
import io.hirundo.devicecpu.internal.threads.Scratch;
import io.hirundo.devicecpu.internal.vector.Lanes;
import io.hirundo.devicecpu.internal.vector.WideSpan;
import io.hirundo.kernel.attention.AttentionShape;
import io.hirundo.tensor.DType;

/**
 * Backward of causal attention, one task for each key/value head of a sequence: FlashAttention-2 (Dao 2023, arXiv
 * 2307.08691), algorithm 2, with the loops exchanged. The task goes through its query heads and their tiles in order, so
 * that the gradients of keys and values are summed in one place and in one order. Letters as in
 * {@code io.hirundo.kernel.Kernels}; operands FP32, or BF16 whose tiles are widened; the gradients of BF16 keys and values are summed
 * in the task's memory.
 */
final class AttentionBackward {
    private final AttentionShape shape;
    private final long startsBS;
    private final AttentionOperands operands;
    private final ScoreGradients terms;
    private final CpuTensor outputGradient;
    private final AttentionOperands.Inputs gradient;

    private final int dim;
    private final int vectors;
    private final float scale;
    private final long rowBytes;
    private final long paddedRowBytes;

    /** Where a tile of queries or keys begins in its sequence, and how many it has. */
    private record Range(int first, int count) {}

    AttentionBackward(AttentionOperands operands, CpuTensor outputGradient, AttentionOperands.Inputs gradient) {
        this.operands = operands;
        this.outputGradient = outputGradient;
        this.gradient = gradient;
        this.shape = operands.shape();
        this.startsBS = operands.startsAddress();
        this.terms = new ScoreGradients(shape, startsBS);
        this.dim = shape.heads().dim();
        this.vectors = AttentionTiles.vectors(dim);
        this.scale = (float) shape.options().scale(shape.heads());
        this.rowBytes = dim * 4L;
        this.paddedRowBytes = Lanes.padded(dim) * 4L;
    }

    /** Whether a worker's memory holds the sums of a head's keys and values, where they need any. */
    static boolean serves(AttentionShape shape, DType dtype) {
        long dim = Lanes.padded(shape.heads().dim());
        // Six tiles of queries and three of keys, two of scores, and up to five widened ones; 64 KiB for all that is
        // small.
        long tiles = (6L * QUERIES + 3L * KEYS + 3L * QUERIES + 2L * KEYS) * dim * 4 + 2 * SCORE_BYTES + (64 << 10);
        long sums = 2 * (long) shape.keyTokens() * shape.heads().dim() * 4;
        return dtype == DType.FP32 || tiles + sums <= Scratch.WORKER_BYTES;
    }

    int tasks() {
        return shape.sequences() * shape.heads().keyValue();
    }

    /** Computes the gradients of one key/value head of one sequence and of the query heads that read it. */
    void run(int keyHead, Scratch scratch) {
        BackwardTiles tiles = take(scratch);
        int headElements = shape.keyTokens() * dim;
        long headKeys = (long) keyHead * headElements;
        Memory.zero(tiles.sums().key().target(headKeys), headElements * 4L);
        Memory.zero(tiles.sums().value().target(headKeys), headElements * 4L);
        int group = shape.heads().group();
        int sequence = keyHead / shape.heads().keyValue();
        for (int member = 0; member < group; member++) {
            int head = keyHead * group + member;
            for (int first = 0; first < shape.queryTokens(); first += QUERIES) {
                Range queries = new Range(first, Math.min(QUERIES, shape.queryTokens() - first));
                prepare(tiles, head, queries);
                int end = AttentionTiles.seen(shape, first + queries.count - 1, 0, shape.keyTokens());
                for (int firstKey = AttentionTiles.firstTile(shape, startsBS, sequence, first);
                        firstKey < end;
                        firstKey += KEYS) {
                    Range keys = new Range(firstKey, Math.min(KEYS, shape.keyTokens() - firstKey));
                    pair(tiles, sequence, queries, keys, headKeys);
                }
                long firstElement = ((long) head * shape.queryTokens() + first) * dim;
                for (int row = 0; row < queries.count; row++) {
                    long element = firstElement + (long) row * dim;
                    TileRows.write(
                            tiles.query().dQuerySD() + row * paddedRowBytes,
                            dim,
                            scale,
                            tiles.sums().query().target(element));
                    tiles.sums().query().store(element, dim);
                }
            }
        }
        tiles.sums().key().store(headKeys, headElements);
        tiles.sums().value().store(headKeys, headElements);
    }

    private BackwardTiles take(Scratch scratch) {
        long keys = (long) shape.keyTokens() * dim;
        var given = new BackwardTiles.Given(
                WideSpan.of(operands.in().query(), QUERIES * dim, scratch),
                WideSpan.of(operands.output(), QUERIES * dim, scratch),
                WideSpan.of(outputGradient, QUERIES * dim, scratch),
                WideSpan.of(operands.in().key(), KEYS * dim, scratch),
                WideSpan.of(operands.in().value(), KEYS * dim, scratch));
        var sums = new BackwardTiles.Sums(
                WideSpan.of(gradient.query(), dim, scratch),
                WideSpan.of(gradient.key(), keys, scratch),
                WideSpan.of(gradient.value(), keys, scratch));
        return BackwardTiles.take(scratch, given, sums, dim, paddedRowBytes);
    }

    private void prepare(BackwardTiles tiles, int head, Range queries) {
        BackwardTiles.QueryTile tile = tiles.query();
        long query = tiles.given()
                .query()
                .read(((long) head * shape.queryTokens() + queries.first) * dim, queries.count * dim);
        TileRows.transpose(query, rowBytes, queries.count, dim, scale, tile.queryDS(), SCORE_ROW);
        TileRows.copy(query, rowBytes, queries.count, dim, scale, tile.querySD(), paddedRowBytes);

        int heads = shape.heads().query();
        long outputChannels = shape.heads().outputChannels();
        long firstOutput = operands.outputIndex(head / heads, head % heads, queries.first);
        long dOutput = tiles.given().outputGradient().readRows(firstOutput, outputChannels, queries.count, dim);
        long outputRowBytes = tiles.given().output().stride(outputChannels, dim);
        TileRows.transpose(dOutput, outputRowBytes, queries.count, dim, 1, tile.dOutputDS(), SCORE_ROW);
        TileRows.copy(dOutput, outputRowBytes, queries.count, dim, 1, tile.dOutputSD(), paddedRowBytes);

        Memory.zero(tile.dQuerySD(), QUERIES * paddedRowBytes);
        long logSumExp = operands.logSumExp().address() + ((long) head * shape.queryTokens() + queries.first) * 4;
        long output = tiles.given().output().readRows(firstOutput, outputChannels, queries.count, dim);
        tile.rows().fill(logSumExp, output, dOutput, outputRowBytes, queries.count, dim);
    }

    /** What one tile of queries and one tile of keys add to the three gradients. */
    private void pair(BackwardTiles tiles, int sequence, Range queries, Range keys, long headKeys) {
        BackwardTiles.QueryTile tile = tiles.query();
        long element = headKeys + (long) keys.first * dim;
        long key = tiles.given().key().read(element, keys.count * dim);
        long value = tiles.given().value().read(element, keys.count * dim);
        long dKey = tiles.sums().key().target(headKeys) + keys.first * rowBytes;
        long dValue = tiles.sums().value().target(headKeys) + keys.first * rowBytes;
        boolean ragged = keys.count % TileGemm.ROWS != 0 || rowBytes != paddedRowBytes;
        if (ragged) {
            TileRows.copy(key, rowBytes, keys.count, dim, 1, tiles.keyCopyKD(), paddedRowBytes);
            TileRows.copy(value, rowBytes, keys.count, dim, 1, tiles.valueCopyKD(), paddedRowBytes);
            key = tiles.keyCopyKD();
            value = tiles.valueCopyKD();
        }
        scores(key, tile.queryDS(), tiles.scoresKS(), queries, keys);
        scores(value, tile.dOutputDS(), tiles.gradientKS(), queries, keys);
        terms.apply(
                tiles.scoresKS(),
                tiles.gradientKS(),
                tile.rows(),
                sequence,
                queries.first,
                queries.count,
                keys.first,
                keys.count);
        if (ragged) {
            Memory.zero(tiles.sumKD(), KEYS * paddedRowBytes);
            addToKeys(tiles.scoresKS(), tile.dOutputSD(), tiles.sumKD(), queries, keys);
            TileRows.add(tiles.sumKD(), paddedRowBytes, keys.count, dim, dValue, rowBytes);
            Memory.zero(tiles.sumKD(), KEYS * paddedRowBytes);
            addToKeys(tiles.gradientKS(), tile.querySD(), tiles.sumKD(), queries, keys);
            TileRows.add(tiles.sumKD(), paddedRowBytes, keys.count, dim, dKey, rowBytes);
        } else {
            addToKeys(tiles.scoresKS(), tile.dOutputSD(), dValue, queries, keys);
            addToKeys(tiles.gradientKS(), tile.querySD(), dKey, queries, keys);
        }
        addToQueries(tiles.gradientKS(), key, tile.dQuerySD(), queries, keys);
    }

    /** {@code scores[key, query] = rows[key] . columns[query]}, but for vectors of queries that see none of four keys. */
    private void scores(long rowsKD, long columnsDS, long scoresKS, Range queries, Range keys) {
        int columns = AttentionTiles.vectors(queries.count);
        Memory.zero(scoresKS, SCORE_BYTES);
        for (int row = 0; row < keys.count; row += TileGemm.ROWS) {
            int blind = AttentionTiles.firstSeeing(shape, keys.first + row, queries.first) / Lanes.COUNT;
            if (blind < columns) {
                long column = (long) blind * Lanes.BYTES;
                TileGemm.fourRows(
                        rowsKD + row * paddedRowBytes,
                        paddedRowBytes,
                        4,
                        columnsDS + column,
                        SCORE_ROW,
                        scoresKS + row * SCORE_ROW + column,
                        SCORE_ROW,
                        columns - blind,
                        dim);
            }
        }
    }

    /** {@code sum[key, :] += sum over queries of scores[key, query] rows[query, :]}. */
    private void addToKeys(long scoresKS, long rowsSD, long sumKD, Range queries, Range keys) {
        for (int row = 0; row < keys.count; row += TileGemm.ROWS) {
            int blind = Math.min(queries.count, AttentionTiles.firstSeeing(shape, keys.first + row, queries.first));
            TileGemm.fourRows(
                    scoresKS + row * SCORE_ROW + blind * 4L,
                    SCORE_ROW,
                    4,
                    rowsSD + blind * paddedRowBytes,
                    paddedRowBytes,
                    sumKD + row * paddedRowBytes,
                    paddedRowBytes,
                    vectors,
                    queries.count - blind);
        }
    }

    /** {@code dQuery[query, :] += sum over keys of scores[key, query] key[key, :]}. */
    private void addToQueries(long scoresKS, long keyKD, long dQuerySD, Range queries, Range keys) {
        for (int row = 0; row < queries.count; row += TileGemm.ROWS) {
            int seen = AttentionTiles.seen(shape, queries.first + row + TileGemm.ROWS - 1, keys.first, keys.count);
            TileGemm.fourRows(
                    scoresKS + row * 4L,
                    4,
                    SCORE_ROW,
                    keyKD,
                    paddedRowBytes,
                    dQuerySD + row * paddedRowBytes,
                    paddedRowBytes,
                    vectors,
                    seen);
        }
    }
}
