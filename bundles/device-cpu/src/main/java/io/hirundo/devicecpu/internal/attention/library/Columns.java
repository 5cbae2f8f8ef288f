package io.hirundo.devicecpu.internal.attention.library;

import static io.hirundo.devicecpu.internal.attention.AttentionTiles.QUERIES;
import static io.hirundo.devicecpu.internal.attention.AttentionTiles.SCORE_ROW;

import io.hirundo.devicecpu.internal.attention.AttentionTiles;
import io.hirundo.devicecpu.internal.memory.Memory;
import io.hirundo.devicecpu.internal.vector.ElementwiseLoops;
import io.hirundo.devicecpu.internal.vector.Lanes;
import io.hirundo.kernel.attention.AttentionShape;

/** Blocks of scores, keys by queries, on their way into a product that takes all of a block. */
final class Columns {
  private Columns() {}

  /**
   * Rounds a block to BF16, with zeros where no query of a vector sees a key: softmax leaves scores there.
   *
   * @param factor what values are multiplied by first
   */
  static void round(AttentionShape shape, int firstQuery, int queries, KeyBlock keys, long blockKS, float factor, long toKS) {
    for (int column = 0; column < queries; column += Lanes.COUNT) {
      int seen = AttentionTiles.seen(shape, firstQuery + column + Lanes.COUNT - 1, keys.first(), keys.count());
      for (int key = seen; key < keys.count(); key++) {
        Memory.zero(blockKS + key * SCORE_ROW + column * 4L, Lanes.BYTES);
      }
    }
    if (factor != 1) {
      ElementwiseLoops.scale(blockKS, keys.count() * QUERIES, factor);
    }
    ElementwiseLoops.toBf16(blockKS, keys.count() * QUERIES, toKS);
  }
}
