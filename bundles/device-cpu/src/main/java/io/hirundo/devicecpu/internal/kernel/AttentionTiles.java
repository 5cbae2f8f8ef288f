package io.hirundo.devicecpu.internal.kernel;

import io.hirundo.devicecpu.internal.Memory;
import io.hirundo.kernel.AttentionShape;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.VectorMask;
import jdk.incubator.vector.VectorOperators;

/**
 * What the forward and the backward tiles of attention share. A tile is {@link #QUERIES} queries of one head by
 * {@link #KEYS} keys. Scores are kept transposed, keys by queries, so that a vector holds one key's scores for as many
 * queries: the running maximum and sum of a query are then lanes, and no reduction over lanes is needed.
 */
final class AttentionTiles {
  static final int QUERIES = 64;
  static final int KEYS = 64;
  /** Bytes from one key's scores to the next in a score tile. */
  static final long SCORE_ROW = QUERIES * 4L;
  static final long SCORE_BYTES = KEYS * SCORE_ROW;
  /** Larger heads do not fit the scratch memory of a worker. */
  static final int MAX_HEAD_DIM = 256;

  /** Addresses of queries, keys and values, or of their gradients. */
  record Inputs(long queryBHSD, long keyBGSD, long valueBGSD) {}

  private AttentionTiles() {}

  static int count(int tokens, int tile) {
    return (tokens + tile - 1) / tile;
  }

  static int roundUpToRows(int rows) {
    return (rows + TileProduct.ROWS - 1) & -TileProduct.ROWS;
  }

  static int vectors(int floats) {
    return (floats + Lanes.COUNT - 1) / Lanes.COUNT;
  }

  /**
   * How many keys of a tile the query sees, counted from the tile's first.
   *
   * @param query number of the query in its sequence
   * @param firstKey number of the tile's first key in the sequence
   * @param keys keys of the tile
   */
  static int seen(AttentionShape shape, int query, int firstKey, int keys) {
    return (int) Math.clamp((long) query + shape.causalOffset() + 1 - firstKey, 0L, keys);
  }

  /** The first query at or after {@code firstQuery} that sees the key, less {@code firstQuery}; may be past the tile. */
  static int firstSeeing(AttentionShape shape, int key, int firstQuery) {
    return (int) Math.clamp((long) key - shape.causalOffset() - firstQuery, 0L, QUERIES);
  }

  /**
   * Sets the scores to minus infinity where a query does not see a key.
   *
   * @param scores a column, one vector for each key
   * @param keys rows of it
   * @param firstSeeing the first lane that sees the first key; the next key is seen from the next lane on
   */
  static void mask(long scores, int keys, int firstSeeing) {
    FloatVector lane = Lanes.splat(0).addIndex(1);
    FloatVector lowest = Lanes.splat(Float.NEGATIVE_INFINITY);
    for (int key = 0; key < keys; key++) {
      long at = scores + key * SCORE_ROW;
      Lanes.store(Lanes.load(at).blend(lowest, lane.compare(VectorOperators.LT, (float) (firstSeeing + key))), at);
    }
  }

  /**
   * {@code to[channel, row] = factor from[row, channel]}; the rows of {@code to} are {@link #QUERIES} floats, zeros behind
   * the last row up to a whole vector.
   */
  static void transpose(long from, long fromRow, int rows, int channels, float factor, long to) {
    int padded = Lanes.padded(rows);
    for (int channel = 0; channel < channels; channel++) {
      long target = to + channel * SCORE_ROW;
      long source = from + channel * 4L;
      for (int row = 0; row < rows; row++) {
        Memory.setFloat(target + row * 4L, factor * Memory.getFloat(source + row * fromRow));
      }
      for (int row = rows; row < padded; row++) {
        Memory.setFloat(target + row * 4L, 0);
      }
    }
  }

  /** {@code to = factor from}; each row of {@code to} is filled with zeros up to {@code toRow} bytes, whole vectors. */
  static void copyRows(long from, long fromRow, int rows, int channels, float factor, long to, long toRow) {
    long whole = Lanes.wholeVectors(channels);
    VectorMask<Float> tail = Lanes.tail(channels - whole);
    for (int row = 0; row < rows; row++) {
      long source = from + row * fromRow;
      long target = to + row * toRow;
      for (long channel = 0; channel < whole; channel += Lanes.COUNT) {
        Lanes.store(Lanes.load(source + channel * 4).mul(factor), target + channel * 4);
      }
      if (whole < channels) {
        Lanes.store(Lanes.load(source + whole * 4, tail).mul(factor), target + whole * 4);
      }
    }
  }

  /** Adds the first {@code channels} floats of each row. */
  static void addRows(long from, long fromRow, int rows, int channels, long to, long toRow) {
    long whole = Lanes.wholeVectors(channels);
    VectorMask<Float> tail = Lanes.tail(channels - whole);
    for (int row = 0; row < rows; row++) {
      long source = from + row * fromRow;
      long target = to + row * toRow;
      for (long channel = 0; channel < whole; channel += Lanes.COUNT) {
        Lanes.store(Lanes.load(target + channel * 4).add(Lanes.load(source + channel * 4)), target + channel * 4);
      }
      if (whole < channels) {
        Lanes.store(Lanes.load(target + whole * 4, tail).add(Lanes.load(source + whole * 4, tail)), target + whole * 4, tail);
      }
    }
  }

  /** Writes the first {@code channels} floats of a padded row, times a factor. */
  static void writeRow(long from, int channels, float factor, long to) {
    long whole = Lanes.wholeVectors(channels);
    for (long channel = 0; channel < whole; channel += Lanes.COUNT) {
      Lanes.store(Lanes.load(from + channel * 4).mul(factor), to + channel * 4);
    }
    if (whole < channels) {
      Lanes.store(Lanes.load(from + whole * 4).mul(factor), to + whole * 4, Lanes.tail(channels - whole));
    }
  }
}
