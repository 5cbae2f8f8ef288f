package io.hirundo.devicecpu.internal.kernel;

import static io.hirundo.devicecpu.internal.kernel.AttentionTiles.KEYS;
import static io.hirundo.devicecpu.internal.kernel.AttentionTiles.QUERIES;
import static io.hirundo.devicecpu.internal.kernel.AttentionTiles.SCORE_BYTES;
import static io.hirundo.devicecpu.internal.kernel.AttentionTiles.SCORE_ROW;

import io.hirundo.devicecpu.internal.Memory;
import io.hirundo.devicecpu.internal.Scratch;
import io.hirundo.kernel.AttentionShape;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.VectorOperators;

/**
 * Forward of causal attention, one task for each tile of queries of a head: FlashAttention-2 (Dao 2023, arXiv 2307.08691),
 * algorithm 1. Letters as in {@code io.hirundo.kernel.Kernels}; all operands FP32, by address.
 */
final class AttentionForward {
  private final AttentionShape shape;
  private final AttentionTiles.Inputs in;
  private final long outputTHD;
  private final long logSumExpBHS;

  private final int dim;
  private final int queryTiles;
  private final long rowBytes;
  private final long paddedRowBytes;

  AttentionForward(AttentionShape shape, AttentionTiles.Inputs in, long outputTHD, long logSumExpBHS) {
    this.shape = shape;
    this.in = in;
    this.outputTHD = outputTHD;
    this.logSumExpBHS = logSumExpBHS;
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

    long queryDS = scratch.take(dim * SCORE_ROW);
    long outputSD = scratch.take(QUERIES * paddedRowBytes);
    long keyCopy = scratch.take(KEYS * paddedRowBytes);
    long valueCopy = scratch.take(KEYS * paddedRowBytes);
    long scores = scratch.take(SCORE_BYTES);
    long max = scratch.take(SCORE_ROW);
    long sum = scratch.take(SCORE_ROW);
    long rescale = scratch.take(SCORE_ROW);

    long query = in.queryBHSD() + ((long) head * shape.queryTokens() + firstQuery) * rowBytes;
    AttentionTiles.transpose(query, rowBytes, queries, dim, (float) (1 / Math.sqrt(dim)), queryDS);
    Memory.zero(outputSD, QUERIES * paddedRowBytes);
    for (int column = 0; column < QUERIES; column += Lanes.COUNT) {
      Lanes.store(Lanes.splat(Float.NEGATIVE_INFINITY), max + column * 4L);
      Lanes.store(Lanes.splat(0), sum + column * 4L);
    }

    int sequence = head / shape.heads().query();
    int keyHead = sequence * shape.heads().keyValue() + head % shape.heads().query() / shape.heads().group();
    long headKeys = (long) keyHead * shape.keyTokens() * rowBytes;
    int end = AttentionTiles.seen(shape, firstQuery + queries - 1, 0, shape.keyTokens());
    for (int firstKey = 0; firstKey < end; firstKey += KEYS) {
      int keys = Math.min(KEYS, shape.keyTokens() - firstKey);
      long key = in.keyBGSD() + headKeys + firstKey * rowBytes;
      if (keys % TileProduct.ROWS != 0) {
        AttentionTiles.copyRows(key, rowBytes, keys, dim, 1, keyCopy, paddedRowBytes);
        key = keyCopy;
      }
      long value = in.valueBGSD() + headKeys + firstKey * rowBytes;
      if (paddedRowBytes != rowBytes) {
        AttentionTiles.copyRows(value, rowBytes, keys, dim, 1, valueCopy, paddedRowBytes);
        value = valueCopy;
      }
      long keyRow = key == keyCopy ? paddedRowBytes : rowBytes;
      scores(firstQuery, queries, firstKey, keys, key, keyRow, queryDS, scores);
      for (int column = 0; column < queries; column += Lanes.COUNT) {
        int lastQuery = firstQuery + column + Lanes.COUNT - 1;
        int seen = AttentionTiles.seen(shape, lastQuery, firstKey, keys);
        long at = column * 4L;
        if (AttentionTiles.seen(shape, firstQuery + column, firstKey, keys) < seen) {
          int firstSeeing = (int) ((long) firstKey - shape.causalOffset() - firstQuery);
          AttentionTiles.mask(scores + at, seen, firstSeeing - column);
        }
        max(scores + at, seen, max + at, rescale + at);
        exponentiate(scores + at, seen, max + at, sum + at, rescale + at);
      }
      output(firstQuery, queries, firstKey, keys, scores, value, rescale, outputSD);
    }
    write(head, firstQuery, queries, outputSD, max, sum);
  }

  /** {@code scores[key, query] = key . query}, but for vectors of queries that see none of four keys. */
  private void scores(
      int firstQuery, int queries, int firstKey, int keys, long key, long keyRow, long queryDS, long scores) {
    int vectors = AttentionTiles.vectors(queries);
    Memory.zero(scores, SCORE_BYTES);
    for (int row = 0; row < keys; row += TileProduct.ROWS) {
      int blindVectors = AttentionTiles.firstSeeing(shape, firstKey + row, firstQuery) / Lanes.COUNT;
      if (blindVectors < vectors) {
        long column = (long) blindVectors * Lanes.BYTES;
        TileProduct.fourRows(
            key + row * keyRow, keyRow, 4, queryDS + column, SCORE_ROW, scores + row * SCORE_ROW + column, SCORE_ROW,
            vectors - blindVectors, dim);
      }
    }
  }

  /** Brings the running maximum of a column of queries up to date, and says by what factor older sums must shrink. */
  private static void max(long scores, int seen, long max, long rescale) {
    int pairs = seen & -2;
    FloatVector oldMax = Lanes.load(max);
    FloatVector even = oldMax;
    FloatVector odd = oldMax;
    for (int key = 0; key < pairs; key += 2) {
      even = Lanes.larger(even, Lanes.load(scores + key * SCORE_ROW));
      odd = Lanes.larger(odd, Lanes.load(scores + (key + 1) * SCORE_ROW));
    }
    for (int key = pairs; key < seen; key++) {
      even = Lanes.larger(even, Lanes.load(scores + key * SCORE_ROW));
    }
    FloatVector newMax = Lanes.larger(even, odd);
    Lanes.store(newMax, max);
    Lanes.store(VectorExp.expUpTo88(oldMax.sub(finite(newMax))), rescale);
  }

  /** Replaces a column of scores by probabilities up to the running maximum, and brings the running sum up to date. */
  private static void exponentiate(long scores, int seen, long max, long sum, long rescale) {
    FloatVector shift = finite(Lanes.load(max));
    FloatVector total = Lanes.load(sum).mul(Lanes.load(rescale));
    for (int key = 0; key < seen; key++) {
      long at = scores + key * SCORE_ROW;
      FloatVector probability = VectorExp.expUpTo88(Lanes.load(at).sub(shift));
      Lanes.store(probability, at);
      total = total.add(probability);
    }
    Lanes.store(total, sum);
  }

  /** A query that has seen no key yet: minus infinity less minus infinity would be NaN. */
  private static FloatVector finite(FloatVector max) {
    return max.blend(0f, max.compare(VectorOperators.EQ, Float.NEGATIVE_INFINITY));
  }

  /** {@code output[query, :] = rescale[query] output[query, :] + sum over keys of scores[key, query] value[key, :]}. */
  private void output(
      int firstQuery, int queries, int firstKey, int keys, long scores, long value, long rescale, long outputSD) {
    for (int row = 0; row < queries && firstKey > 0; row++) {
      long target = outputSD + row * paddedRowBytes;
      AttentionTiles.writeRow(target, Lanes.padded(dim), Memory.getFloat(rescale + row * 4L), target);
    }
    int vectors = AttentionTiles.vectors(dim);
    for (int row = 0; row < queries; row += TileProduct.ROWS) {
      int seen = AttentionTiles.seen(shape, firstQuery + row + TileProduct.ROWS - 1, firstKey, keys);
      TileProduct.fourRows(
          scores + row * 4L, 4, SCORE_ROW, value, paddedRowBytes, outputSD + row * paddedRowBytes, paddedRowBytes,
          vectors, seen);
    }
  }

  private void write(int head, int firstQuery, int queries, long outputSD, long max, long sum) {
    int sequence = head / shape.heads().query();
    long token = (long) sequence * shape.queryTokens() + firstQuery;
    long outputRow = shape.heads().outputChannels() * 4;
    long target = outputTHD + token * outputRow + head % shape.heads().query() * rowBytes;
    long logSumExp = logSumExpBHS + ((long) head * shape.queryTokens() + firstQuery) * 4;
    for (int row = 0; row < queries; row++) {
      float total = Memory.getFloat(sum + row * 4L);
      boolean seesNone = total == 0;
      AttentionTiles.writeRow(outputSD + row * paddedRowBytes, dim, seesNone ? 0 : 1 / total, target + row * outputRow);
      float log = seesNone ? Float.NEGATIVE_INFINITY : (float) (Memory.getFloat(max + row * 4L) + Math.log(total));
      Memory.setFloat(logSumExp + row * 4L, log);
    }
  }
}
