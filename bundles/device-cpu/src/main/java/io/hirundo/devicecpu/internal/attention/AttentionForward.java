package io.hirundo.devicecpu.internal.attention;

import static io.hirundo.devicecpu.internal.memory.Memory.ALL;
import static io.hirundo.devicecpu.internal.memory.Memory.ORDER;
import static io.hirundo.devicecpu.internal.attention.AttentionTiles.KEYS;
import static io.hirundo.devicecpu.internal.attention.AttentionTiles.QUERIES;
import static io.hirundo.devicecpu.internal.attention.AttentionTiles.SCORE_BYTES;
import static io.hirundo.devicecpu.internal.attention.AttentionTiles.SCORE_ROW;
import static io.hirundo.devicecpu.internal.vector.Lanes.FLOATS;
import static jdk.incubator.vector.FloatVector.fromMemorySegment;

import io.hirundo.devicecpu.internal.memory.Memory;
import io.hirundo.devicecpu.internal.threads.Scratch;
import io.hirundo.devicecpu.internal.vector.ElementwiseLoops;
import io.hirundo.devicecpu.internal.vector.Lanes;
import io.hirundo.devicecpu.internal.vector.VectorExp;
import io.hirundo.devicecpu.internal.vector.VectorTanh;
import io.hirundo.devicecpu.internal.vector.WideSpan;
import io.hirundo.kernel.AttentionShape;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.VectorOperators;

/**
 * Forward of causal attention, one task for each tile of queries of a head: FlashAttention-2 (Dao 2023, arXiv 2307.08691),
 * algorithm 1. Letters as in {@code io.hirundo.kernel.Kernels}; operands FP32, or BF16 whose tiles are widened.
 */
final class AttentionForward {
  private final AttentionShape shape;
  private final long startsBS;
  private final AttentionOperands operands;

  private final int dim;
  private final int queryTiles;
  private final long rowBytes;
  private final long paddedRowBytes;

  /** Scratch memory of a task. Letters: S queries of a tile, K keys of a tile. */
  private record Tiles(
      Given given, long queryDS, long outputSD, long keyCopyKD, long valueCopyKD, long scoresKS, Statistics rows) {
    static Tiles take(Scratch scratch, AttentionOperands operands, int dim, long paddedRowBytes) {
      return new Tiles(
          Given.take(scratch, operands, dim),
          scratch.take(dim * SCORE_ROW),
          scratch.take(QUERIES * paddedRowBytes),
          scratch.take(KEYS * paddedRowBytes),
          scratch.take(KEYS * paddedRowBytes),
          scratch.take(SCORE_BYTES),
          Statistics.take(scratch));
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

  /**
   * A number for each query of the tile.
   *
   * @param maxS largest score so far
   * @param shiftS what is added to scores before their exponential: minus the maximum
   * @param sumS sum of exponentials so far
   * @param rescaleS what older sums are multiplied by when the maximum has grown
   * @param zeroS zeros
   * @param unusedS where a sum goes that nobody reads
   */
  private record Statistics(long maxS, long shiftS, long sumS, long rescaleS, long zeroS, long unusedS) {
    static Statistics take(Scratch scratch) {
      return new Statistics(
          scratch.take(SCORE_ROW), scratch.take(SCORE_ROW), scratch.take(SCORE_ROW), scratch.take(SCORE_ROW),
          scratch.take(SCORE_ROW), scratch.take(SCORE_ROW));
    }
  }

  AttentionForward(AttentionOperands operands) {
    this.operands = operands;
    this.shape = operands.shape();
    this.startsBS = operands.startsAddress();
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
    prepare(tiles, tiles.given.query.read(((long) head * shape.queryTokens() + firstQuery) * dim, queries * dim), queries);

    int sequence = head / shape.heads().query();
    int keyHead = sequence * shape.heads().keyValue() + head % shape.heads().query() / shape.heads().group();
    int end = AttentionTiles.seen(shape, firstQuery + queries - 1, 0, shape.keyTokens());
    for (int firstKey = AttentionTiles.firstTile(shape, startsBS, sequence, firstQuery); firstKey < end; firstKey += KEYS) {
      int keys = Math.min(KEYS, shape.keyTokens() - firstKey);
      long element = ((long) keyHead * shape.keyTokens() + firstKey) * dim;
      scores(tiles, firstQuery, queries, firstKey, keys, tiles.given.key.read(element, keys * dim));
      softmax(tiles, sequence, firstQuery, queries, firstKey, keys);
      output(tiles, firstQuery, queries, firstKey, keys, tiles.given.value.read(element, keys * dim));
    }
    write(tiles, head, firstQuery, queries);
  }

  private void prepare(Tiles tiles, long query, int queries) {
    TileRows.transpose(query, rowBytes, queries, dim, (float) shape.options().scale(shape.heads()), tiles.queryDS, SCORE_ROW);
    Memory.zero(tiles.outputSD, QUERIES * paddedRowBytes);
    Memory.zero(tiles.rows.sumS, SCORE_ROW);
    Memory.zero(tiles.rows.zeroS, SCORE_ROW);
    Memory.zero(tiles.rows.unusedS, SCORE_ROW);
    ElementwiseLoops.fill(tiles.rows.maxS, QUERIES, Float.NEGATIVE_INFINITY);
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
            key + row * keyRow, keyRow, 4, tiles.queryDS + column, SCORE_ROW,
            tiles.scoresKS + row * SCORE_ROW + column, SCORE_ROW, vectors - blind, dim);
      }
    }
  }

  /** Replaces scores by probabilities up to the running maximum, and brings the statistics up to date. */
  private void softmax(Tiles tiles, int sequence, int firstQuery, int queries, int firstKey, int keys) {
    for (int column = 0; column < queries; column += Lanes.COUNT) {
      int seen = AttentionTiles.seen(shape, firstQuery + column + Lanes.COUNT - 1, firstKey, keys);
      if (shape.options().softCap().isPresent()) {
        VectorTanh.cap(tiles.scoresKS + column * 4L, SCORE_ROW, seen, (float) shape.options().softCap().getAsDouble());
      }
      AttentionTiles.mask(shape, firstQuery, column, firstKey, seen, tiles.scoresKS + column * 4L);
      AttentionTiles.maskWindow(shape, firstQuery + column, firstKey, seen, tiles.scoresKS + column * 4L);
      AttentionTiles.maskDocuments(
          shape, startsBS, sequence, firstQuery + column, Math.min(Lanes.COUNT, queries - column), firstKey, seen,
          tiles.scoresKS + column * 4L);
      max(tiles.scoresKS + column * 4L, seen, tiles.rows, column * 4L);
    }
    int vectors = AttentionTiles.vectors(queries);
    long rescale = tiles.rows.rescaleS;
    VectorExp.exp(rescale, rescale, Lanes.BYTES, vectors, 1, tiles.rows.zeroS, tiles.rows.unusedS);
    for (int column = 0; column < queries; column += Lanes.COUNT) {
      int seen = AttentionTiles.seen(shape, firstQuery + column + Lanes.COUNT - 1, firstKey, keys);
      long at = column * 4L;
      multiply(tiles.rows.sumS + at, tiles.rows.rescaleS + at);
      long scores = tiles.scoresKS + at;
      VectorExp.exp(scores, scores, SCORE_ROW, seen, 1, tiles.rows.shiftS + at, tiles.rows.sumS + at);
    }
  }

  /** Brings the maximum of a column up to date, and writes the exponent of its rescaling. */
  private static void max(long scores, int seen, Statistics rows, long at) {
    int pairs = seen & -2;
    FloatVector oldMax = fromMemorySegment(FLOATS, ALL, rows.maxS + at, ORDER);
    FloatVector even = fromMemorySegment(FLOATS, ALL, rows.maxS + at, ORDER);
    FloatVector odd = fromMemorySegment(FLOATS, ALL, rows.maxS + at, ORDER);
    for (int key = 0; key < pairs; key += 2) {
      FloatVector first = fromMemorySegment(FLOATS, ALL, scores + key * SCORE_ROW, ORDER);
      FloatVector second = fromMemorySegment(FLOATS, ALL, scores + (key + 1) * SCORE_ROW, ORDER);
      // Two instructions, where lanewise(MAX) with its rules for NaN takes seven. The exponentials keep a NaN.
      even = even.blend(first, first.compare(VectorOperators.GT, even));
      odd = odd.blend(second, second.compare(VectorOperators.GT, odd));
    }
    for (int key = pairs; key < seen; key++) {
      FloatVector last = fromMemorySegment(FLOATS, ALL, scores + key * SCORE_ROW, ORDER);
      even = even.blend(last, last.compare(VectorOperators.GT, even));
    }
    FloatVector max = even.blend(odd, odd.compare(VectorOperators.GT, even));
    // A query that has seen no key yet: minus infinity less minus infinity would be NaN.
    FloatVector shift = max.blend(0f, max.compare(VectorOperators.EQ, Float.NEGATIVE_INFINITY)).neg();
    max.intoMemorySegment(ALL, rows.maxS + at, ORDER);
    shift.intoMemorySegment(ALL, rows.shiftS + at, ORDER);
    oldMax.add(shift).intoMemorySegment(ALL, rows.rescaleS + at, ORDER);
  }

  private static void multiply(long x, long factor) {
    FloatVector product = fromMemorySegment(FLOATS, ALL, x, ORDER).mul(fromMemorySegment(FLOATS, ALL, factor, ORDER));
    product.intoMemorySegment(ALL, x, ORDER);
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
      TileRows.write(target, Lanes.padded(dim), Memory.getFloat(tiles.rows.rescaleS + row * 4L), target);
    }
    int vectors = AttentionTiles.vectors(dim);
    for (int row = 0; row < queries; row += TileGemm.ROWS) {
      int seen = AttentionTiles.seen(shape, firstQuery + row + TileGemm.ROWS - 1, firstKey, keys);
      TileGemm.fourRows(
          tiles.scoresKS + row * 4L, 4, SCORE_ROW, value, paddedRowBytes,
          tiles.outputSD + row * paddedRowBytes, paddedRowBytes, vectors, seen);
    }
  }

  private void write(Tiles tiles, int head, int firstQuery, int queries) {
    int sequence = head / shape.heads().query();
    long token = (long) sequence * shape.queryTokens() + firstQuery;
    long outputRow = shape.heads().outputChannels();
    long first = token * outputRow + (long) (head % shape.heads().query()) * dim;
    long logSumExp = operands.logSumExp().address() + ((long) head * shape.queryTokens() + firstQuery) * 4;
    for (int row = 0; row < queries; row++) {
      float total = Memory.getFloat(tiles.rows.sumS + row * 4L);
      boolean seesNone = total == 0;
      float factor = seesNone ? 0 : 1 / total;
      long element = first + row * outputRow;
      TileRows.write(tiles.outputSD + row * paddedRowBytes, dim, factor, tiles.given.output.target(element));
      tiles.given.output.store(element, dim);
      double log = seesNone ? Double.NEGATIVE_INFINITY : Memory.getFloat(tiles.rows.maxS + row * 4L) + Math.log(total);
      Memory.setFloat(logSumExp + row * 4L, (float) log);
    }
  }
}
