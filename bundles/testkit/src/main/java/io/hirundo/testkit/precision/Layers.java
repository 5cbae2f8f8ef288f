package io.hirundo.testkit.precision;

import io.hirundo.precision.LinearShape;
import io.hirundo.testkit.bench.Bench;
import java.util.Arrays;
import java.util.List;

/** Helpers for clauses about layers. */
final class Layers {
  private Layers() {}

  /** Shapes that the test offers and the strategy supports. */
  static List<LinearShape> supported(PrecisionOffer offer, Bench bench) {
    var device = bench.device().info();
    return offer.shapes().stream().filter(shape -> offer.strategy().supports(device, shape).supported()).toList();
  }

  static long[] bits(double[] values) {
    return Arrays.stream(values).mapToLong(Double::doubleToRawLongBits).toArray();
  }
}
