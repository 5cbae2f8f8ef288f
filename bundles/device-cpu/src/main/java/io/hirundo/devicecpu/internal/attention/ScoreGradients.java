package io.hirundo.devicecpu.internal.attention;

import static io.hirundo.devicecpu.internal.attention.AttentionTiles.SCORE_ROW;
import static io.hirundo.devicecpu.internal.memory.Memory.ALL;
import static io.hirundo.devicecpu.internal.memory.Memory.ORDER;
import static io.hirundo.devicecpu.internal.vector.Lanes.FLOATS;
import static jdk.incubator.vector.FloatVector.fromMemorySegment;

import jdk.incubator.vector.FloatVector;

/** From the gradients of probabilities to those of scores, a column of a tile: one vector of queries by some keys. */
final class ScoreGradients {
  private ScoreGradients() {}

  /** Gradients dp of probabilities p become those of scores, {@code p (dp - delta)}. */
  static void of(long probabilities, long gradients, int seen, long delta) {
    FloatVector deltas = fromMemorySegment(FLOATS, ALL, delta, ORDER);
    for (int key = 0; key < seen; key++) {
      long row = key * SCORE_ROW;
      FloatVector gradient = fromMemorySegment(FLOATS, ALL, gradients + row, ORDER).sub(deltas);
      FloatVector probability = fromMemorySegment(FLOATS, ALL, probabilities + row, ORDER);
      probability.mul(gradient).intoMemorySegment(ALL, gradients + row, ORDER);
    }
  }

  /**
   * With a soft cap c, before the mask: gradients dp of probabilities become {@code (dp - delta) (1 - (t / c)²)}, which lack only the
   * probability.
   *
   * @param scores t, capped
   */
  static void slopes(long scores, long gradients, int seen, long delta, float inverseCap) {
    FloatVector deltas = fromMemorySegment(FLOATS, ALL, delta, ORDER);
    for (int key = 0; key < seen; key++) {
      long row = key * SCORE_ROW;
      FloatVector capped = fromMemorySegment(FLOATS, ALL, scores + row, ORDER).mul(inverseCap);
      FloatVector slope = capped.mul(capped).neg().add(1f);
      FloatVector gradient = fromMemorySegment(FLOATS, ALL, gradients + row, ORDER).sub(deltas);
      gradient.mul(slope).intoMemorySegment(ALL, gradients + row, ORDER);
    }
  }

  /** {@code gradients *= probabilities}, after {@link #slopes}. */
  static void products(long probabilities, long gradients, int seen) {
    for (int key = 0; key < seen; key++) {
      long row = key * SCORE_ROW;
      FloatVector gradient = fromMemorySegment(FLOATS, ALL, gradients + row, ORDER);
      FloatVector probability = fromMemorySegment(FLOATS, ALL, probabilities + row, ORDER);
      probability.mul(gradient).intoMemorySegment(ALL, gradients + row, ORDER);
    }
  }
}
