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
        boolean masked = AttentionTiles.seen(shape, firstQuery + column, firstKey, keys) < seen;
        int firstSeeing = masked ? (int) ((long) firstKey - shape.causalOffset() - firstQuery) : 0;
        long at = column * 4L;
        softmax(scores + at, seen, column, masked, firstSeeing, max + at, sum + at, rescale + at);
      }
      output(firstQuery, queries, firstKey, keys, scores, value, rescale, outputSD, firstKey > 0);
    }
    write(head, firstQuery, queries, end > 0, outputSD, max, sum);
  }

  /** {@code scores[key, query] = key . query}, but for vectors of queries that see none of four keys. */
  private void scores(
      int firstQuery, int queries, int firstKey, int keys, long key, long keyRow, long queryDS, long scores) {
    int vectors = AttentionTiles.vectors(queries);
    for (int row = 0; row < keys; row += TileProduct.ROWS) {
      int blindVectors = AttentionTiles.firstSeeing(shape, firstKey + row, firstQuery) / Lanes.COUNT;
      if (blindVectors < vectors) {
        long column = (long) blindVectors * Lanes.BYTES;
        TileProduct.fourRows(
            key + row * keyRow, keyRow, 4, queryDS + column, SCORE_ROW, scores + row * SCORE_ROW + column, SCORE_ROW,
            vectors - blindVectors, dim, false);
      }
    }
  }

  /** Replaces a column of scores by probabilities up to the running maximum, and brings maximum and sum up to date. */
  private static void softmax(
      long scores, int seen, int column, boolean masked, int firstSeeing, long max, long sum, long rescale) {
    FloatVector lowest = Lanes.splat(Float.NEGATIVE_INFINITY);
    FloatVector oldMax = Lanes.load(max);
    FloatVector evenMax = oldMax;
    FloatVector oddMax = lowest;
    if (masked) {
      for (int key = 0; key < seen; key++) {
        long at = scores + key * SCORE_ROW;
        FloatVector score = Lanes.load(at).blend(lowest, AttentionTiles.blind(column, firstSeeing + key));
        Lanes.store(score, at);
        evenMax = Lanes.larger(evenMax, score);
      }
    } else {
      int pairs = seen & -2;
      for (int key = 0; key < pairs; key += 2) {
        evenMax = Lanes.larger(evenMax, Lanes.load(scores + key * SCORE_ROW));
        oddMax = Lanes.larger(oddMax, Lanes.load(scores + (key + 1) * SCORE_ROW));
      }
      if (pairs < seen) {
        evenMax = Lanes.larger(evenMax, Lanes.load(scores + pairs * SCORE_ROW));
      }
    }
    FloatVector newMax = Lanes.larger(evenMax, oddMax);
    // A query that has seen no key yet: minus infinity less minus infinity would be NaN.
    FloatVector shift = newMax.blend(0f, newMax.compare(VectorOperators.EQ, Float.NEGATIVE_INFINITY));
    FloatVector factor = VectorExp.expUpTo88(oldMax.sub(shift));
    FloatVector total = Lanes.load(sum).mul(factor);
    for (int key = 0; key < seen; key++) {
      long at = scores + key * SCORE_ROW;
      FloatVector probability = VectorExp.expUpTo88(Lanes.load(at).sub(shift));
      Lanes.store(probability, at);
      total = total.add(probability);
    }
    Lanes.store(newMax, max);
    Lanes.store(total, sum);
    Lanes.store(factor, rescale);
  }

  /** {@code output[query, :] = rescale[query] output[query, :] + sum over keys of scores[key, query] value[key, :]}. */
  private void output(
      int firstQuery, int queries, int firstKey, int keys, long scores, long value, long rescale, long outputSD,
      boolean accumulate) {
    if (accumulate) {
      for (int row = 0; row < queries; row++) {
        long target = outputSD + row * paddedRowBytes;
        AttentionTiles.writeRow(target, Lanes.padded(dim), Memory.getFloat(rescale + row * 4L), target);
      }
    }
    int vectors = AttentionTiles.vectors(dim);
    for (int row = 0; row < queries; row += TileProduct.ROWS) {
      int seen = AttentionTiles.seen(shape, firstQuery + row + TileProduct.ROWS - 1, firstKey, keys);
      TileProduct.fourRows(
          scores + row * 4L, 4, SCORE_ROW, value, paddedRowBytes, outputSD + row * paddedRowBytes, paddedRowBytes,
          vectors, seen, accumulate);
    }
  }

  private void write(int head, int firstQuery, int queries, boolean anySeen, long outputSD, long max, long sum) {
    int sequence = head / shape.heads().query();
    long token = (long) sequence * shape.queryTokens() + firstQuery;
    long outputRow = shape.heads().outputChannels() * 4;
    long target = outputTHD + token * outputRow + head % shape.heads().query() * rowBytes;
    long logSumExp = logSumExpBHS + ((long) head * shape.queryTokens() + firstQuery) * 4;
    if (!anySeen) {
      Memory.zero(outputSD, queries * paddedRowBytes);
    }
    for (int row = 0; row < queries; row++) {
      float total = Memory.getFloat(sum + row * 4L);
      boolean seesNone = total == 0;
      AttentionTiles.writeRow(outputSD + row * paddedRowBytes, dim, seesNone ? 0 : 1 / total, target + row * outputRow);
      float log = seesNone ? Float.NEGATIVE_INFINITY : (float) (Memory.getFloat(max + row * 4L) + Math.log(total));
      Memory.setFloat(logSumExp + row * 4L, log);
    }
  }
}
