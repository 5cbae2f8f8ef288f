package io.hirundo.devicecpu.internal.kernel;

import static io.hirundo.devicecpu.internal.kernel.AttentionTiles.KEYS;
import static io.hirundo.devicecpu.internal.kernel.AttentionTiles.QUERIES;
import static io.hirundo.devicecpu.internal.kernel.AttentionTiles.SCORE_BYTES;
import static io.hirundo.devicecpu.internal.kernel.AttentionTiles.SCORE_ROW;

import io.hirundo.devicecpu.internal.Memory;
import io.hirundo.devicecpu.internal.Scratch;
import io.hirundo.kernel.AttentionShape;
import jdk.incubator.vector.FloatVector;

/**
 * Backward of causal attention, one task for each key/value head of a sequence: FlashAttention-2 (Dao 2023, arXiv
 * 2307.08691), algorithm 2, with the loops exchanged. The task goes through its query heads and their tiles in order, so
 * that the gradients of keys and values are summed in one place and in one order. Letters as in
 * {@code io.hirundo.kernel.Kernels}; all operands FP32, by address.
 */
final class AttentionBackward {
  private final AttentionShape shape;
  private final AttentionTiles.Inputs in;
  private final Results results;
  private final AttentionTiles.Inputs gradient;

  private final int dim;
  private final int vectors;
  private final float scale;
  private final long rowBytes;
  private final long paddedRowBytes;
  private final long outputRowBytes;

  /** Addresses of what the forward made, and of its gradient. */
  record Results(long outputGradientTHD, long outputTHD, long logSumExpBHS) {}

  /** Scratch memory of a task. Letters: S queries of a tile, K keys of a tile. */
  private record Tiles(
      QueryTile query, long scoresKS, long gradientKS, long keyCopyKD, long valueCopyKD, long sumKD) {
    static Tiles take(Scratch scratch, int dim, long paddedRowBytes) {
      return new Tiles(
          QueryTile.take(scratch, dim, paddedRowBytes),
          scratch.take(SCORE_BYTES),
          scratch.take(SCORE_BYTES),
          scratch.take(KEYS * paddedRowBytes),
          scratch.take(KEYS * paddedRowBytes),
          scratch.take(KEYS * paddedRowBytes));
    }
  }

  /** What is prepared once for a tile of queries: queries are scaled, copies are padded to whole vectors. */
  private record QueryTile(long queryDS, long querySD, long dOutputDS, long dOutputSD, long dQuerySD, RowTerms rows) {
    static QueryTile take(Scratch scratch, int dim, long paddedRowBytes) {
      return new QueryTile(
          scratch.take(dim * SCORE_ROW),
          scratch.take(QUERIES * paddedRowBytes),
          scratch.take(dim * SCORE_ROW),
          scratch.take(QUERIES * paddedRowBytes),
          scratch.take(QUERIES * paddedRowBytes),
          new RowTerms(scratch.take(SCORE_ROW), scratch.take(SCORE_ROW)));
    }
  }

  /** Of each query: the logarithm of its sum of exponentials, and output times output gradient. */
  private record RowTerms(long logSumExpS, long deltaS) {}

  /** Where a tile of queries or keys begins in its sequence, and how many it has. */
  private record Range(int first, int count) {}

  AttentionBackward(AttentionShape shape, AttentionTiles.Inputs in, Results results, AttentionTiles.Inputs gradient) {
    this.shape = shape;
    this.in = in;
    this.results = results;
    this.gradient = gradient;
    this.dim = shape.heads().dim();
    this.vectors = AttentionTiles.vectors(dim);
    this.scale = (float) (1 / Math.sqrt(dim));
    this.rowBytes = dim * 4L;
    this.paddedRowBytes = Lanes.padded(dim) * 4L;
    this.outputRowBytes = shape.heads().outputChannels() * 4;
  }

  int tasks() {
    return shape.sequences() * shape.heads().keyValue();
  }

  /** Computes the gradients of one key/value head of one sequence and of the query heads that read it. */
  void run(int keyHead, Scratch scratch) {
    Tiles tiles = Tiles.take(scratch, dim, paddedRowBytes);
    long headKeys = (long) keyHead * shape.keyTokens() * rowBytes;
    Memory.zero(gradient.keyBGSD() + headKeys, shape.keyTokens() * rowBytes);
    Memory.zero(gradient.valueBGSD() + headKeys, shape.keyTokens() * rowBytes);
    int group = shape.heads().group();
    for (int member = 0; member < group; member++) {
      int head = keyHead * group + member;
      for (int first = 0; first < shape.queryTokens(); first += QUERIES) {
        Range queries = new Range(first, Math.min(QUERIES, shape.queryTokens() - first));
        prepare(tiles.query, head, queries);
        int end = AttentionTiles.seen(shape, first + queries.count - 1, 0, shape.keyTokens());
        for (int firstKey = 0; firstKey < end; firstKey += KEYS) {
          Range keys = new Range(firstKey, Math.min(KEYS, shape.keyTokens() - firstKey));
          pair(tiles, queries, keys, headKeys + firstKey * rowBytes);
        }
        long dQuery = gradient.queryBHSD() + ((long) head * shape.queryTokens() + first) * rowBytes;
        for (int row = 0; row < queries.count; row++) {
          AttentionTiles.writeRow(tiles.query.dQuerySD + row * paddedRowBytes, dim, scale, dQuery + row * rowBytes);
        }
      }
    }
  }

  private void prepare(QueryTile tile, int head, Range queries) {
    long query = in.queryBHSD() + ((long) head * shape.queryTokens() + queries.first) * rowBytes;
    AttentionTiles.transpose(query, rowBytes, queries.count, dim, scale, tile.queryDS);
    AttentionTiles.copyRows(query, rowBytes, queries.count, dim, scale, tile.querySD, paddedRowBytes);

    int sequence = head / shape.heads().query();
    long firstOutput =
        ((long) sequence * shape.queryTokens() + queries.first) * outputRowBytes + head % shape.heads().query() * rowBytes;
    long dOutput = results.outputGradientTHD + firstOutput;
    AttentionTiles.transpose(dOutput, outputRowBytes, queries.count, dim, 1, tile.dOutputDS);
    AttentionTiles.copyRows(dOutput, outputRowBytes, queries.count, dim, 1, tile.dOutputSD, paddedRowBytes);

    Memory.zero(tile.dQuerySD, QUERIES * paddedRowBytes);
    Memory.zero(tile.rows.logSumExpS, SCORE_ROW);
    Memory.zero(tile.rows.deltaS, SCORE_ROW);
    long logSumExp = results.logSumExpBHS + ((long) head * shape.queryTokens() + queries.first) * 4;
    long output = results.outputTHD + firstOutput;
    for (int row = 0; row < queries.count; row++) {
      // Minus infinity less minus infinity would be NaN where a query sees no key; with 0 its probabilities are 0.
      float log = Memory.getFloat(logSumExp + row * 4L);
      Memory.setFloat(tile.rows.logSumExpS + row * 4L, log == Float.NEGATIVE_INFINITY ? 0 : log);
      float delta = dot(output + row * outputRowBytes, dOutput + row * outputRowBytes, dim);
      Memory.setFloat(tile.rows.deltaS + row * 4L, delta);
    }
  }

  /** What one tile of queries and one tile of keys add to the three gradients. */
  private void pair(Tiles tiles, Range queries, Range keys, long offset) {
    QueryTile tile = tiles.query;
    long key = in.keyBGSD() + offset;
    long value = in.valueBGSD() + offset;
    long dKey = gradient.keyBGSD() + offset;
    long dValue = gradient.valueBGSD() + offset;
    boolean ragged = keys.count % TileProduct.ROWS != 0 || rowBytes != paddedRowBytes;
    if (ragged) {
      AttentionTiles.copyRows(key, rowBytes, keys.count, dim, 1, tiles.keyCopyKD, paddedRowBytes);
      AttentionTiles.copyRows(value, rowBytes, keys.count, dim, 1, tiles.valueCopyKD, paddedRowBytes);
      key = tiles.keyCopyKD;
      value = tiles.valueCopyKD;
    }
    scores(key, tile.queryDS, tiles.scoresKS, queries, keys);
    scores(value, tile.dOutputDS, tiles.gradientKS, queries, keys);
    for (int column = 0; column < queries.count; column += Lanes.COUNT) {
      int seen = AttentionTiles.seen(shape, queries.first + column + Lanes.COUNT - 1, keys.first, keys.count);
      // Whole blocks of rows, because the products below take a block where its first key is seen.
      seen = Math.min(keys.count, AttentionTiles.roundUpToRows(seen));
      long at = column * 4L;
      if (AttentionTiles.seen(shape, queries.first + column, keys.first, keys.count) < seen) {
        int firstSeeing = (int) ((long) keys.first - shape.causalOffset() - queries.first);
        AttentionTiles.mask(tiles.scoresKS + at, seen, firstSeeing - column);
      }
      probabilities(tiles.scoresKS + at, tiles.gradientKS + at, seen, tile.rows, at);
    }
    if (ragged) {
      Memory.zero(tiles.sumKD, KEYS * paddedRowBytes);
      addToKeys(tiles.scoresKS, tile.dOutputSD, tiles.sumKD, queries, keys);
      AttentionTiles.addRows(tiles.sumKD, paddedRowBytes, keys.count, dim, dValue, rowBytes);
      Memory.zero(tiles.sumKD, KEYS * paddedRowBytes);
      addToKeys(tiles.gradientKS, tile.querySD, tiles.sumKD, queries, keys);
      AttentionTiles.addRows(tiles.sumKD, paddedRowBytes, keys.count, dim, dKey, rowBytes);
    } else {
      addToKeys(tiles.scoresKS, tile.dOutputSD, dValue, queries, keys);
      addToKeys(tiles.gradientKS, tile.querySD, dKey, queries, keys);
    }
    addToQueries(tiles.gradientKS, key, tile.dQuerySD, queries, keys);
  }

  /** {@code scores[key, query] = rows[key] . columns[query]}, but for vectors of queries that see none of four keys. */
  private void scores(long rowsKD, long columnsDS, long scoresKS, Range queries, Range keys) {
    int columns = AttentionTiles.vectors(queries.count);
    Memory.zero(scoresKS, SCORE_BYTES);
    for (int row = 0; row < keys.count; row += TileProduct.ROWS) {
      int blind = AttentionTiles.firstSeeing(shape, keys.first + row, queries.first) / Lanes.COUNT;
      if (blind < columns) {
        long column = (long) blind * Lanes.BYTES;
        TileProduct.fourRows(
            rowsKD + row * paddedRowBytes, paddedRowBytes, 4, columnsDS + column, SCORE_ROW,
            scoresKS + row * SCORE_ROW + column, SCORE_ROW, columns - blind, dim);
      }
    }
  }

  /** Scores become probabilities p, and gradients of probabilities become those of scores, {@code p (dp - delta)}. */
  private static void probabilities(long scores, long gradients, int seen, RowTerms rows, long at) {
    FloatVector logSumExp = Lanes.load(rows.logSumExpS + at);
    FloatVector delta = Lanes.load(rows.deltaS + at);
    for (int key = 0; key < seen; key++) {
      long row = key * SCORE_ROW;
      FloatVector probability = VectorExp.exp(Lanes.load(scores + row).sub(logSumExp));
      Lanes.store(probability, scores + row);
      Lanes.store(probability.mul(Lanes.load(gradients + row).sub(delta)), gradients + row);
    }
  }

  /** {@code sum[key, :] += sum over queries of scores[key, query] rows[query, :]}. */
  private void addToKeys(long scoresKS, long rowsSD, long sumKD, Range queries, Range keys) {
    for (int row = 0; row < keys.count; row += TileProduct.ROWS) {
      int blind = Math.min(queries.count, AttentionTiles.firstSeeing(shape, keys.first + row, queries.first));
      TileProduct.fourRows(
          scoresKS + row * SCORE_ROW + blind * 4L, SCORE_ROW, 4, rowsSD + blind * paddedRowBytes, paddedRowBytes,
          sumKD + row * paddedRowBytes, paddedRowBytes, vectors, queries.count - blind);
    }
  }

  /** {@code dQuery[query, :] += sum over keys of scores[key, query] key[key, :]}. */
  private void addToQueries(long scoresKS, long keyKD, long dQuerySD, Range queries, Range keys) {
    for (int row = 0; row < queries.count; row += TileProduct.ROWS) {
      int seen = AttentionTiles.seen(shape, queries.first + row + TileProduct.ROWS - 1, keys.first, keys.count);
      TileProduct.fourRows(
          scoresKS + row * 4L, 4, SCORE_ROW, keyKD, paddedRowBytes, dQuerySD + row * paddedRowBytes, paddedRowBytes,
          vectors, seen);
    }
  }

  private static float dot(long a, long b, int count) {
    long whole = Lanes.wholeVectors(count);
    FloatVector sum = Lanes.splat(0);
    for (long at = 0; at < whole; at += Lanes.COUNT) {
      sum = Lanes.load(a + at * 4).fma(Lanes.load(b + at * 4), sum);
    }
    if (whole < count) {
      var tail = Lanes.tail(count - whole);
      sum = Lanes.load(a + whole * 4, tail).fma(Lanes.load(b + whole * 4, tail), sum);
    }
    return Lanes.sum(sum);
  }
}
