package io.hirundo.devicecpu.internal.kernel;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

final class VectorExpTest {
  @Test
  void isAsExactAsItSays() {
    double worst = 0;
    for (int i = 0; i < 400_000; i++) {
      float x = (float) (-87.3 + 175.6 * i / 400_000);
      double expected = Math.exp(x);
      worst = Math.max(worst, Math.abs(exp(x) - expected) / expected);
    }
    assertTrue(worst < 1.2e-7, "relative error " + worst);
  }

  @Test
  void endsAreZeroInfinityAndNaN() {
    assertEquals(1, exp(0));
    assertEquals(1, exp(-0f));
    assertEquals(0, exp(-87.4f));
    assertEquals(0, exp(-1e30f));
    assertEquals(0, exp(Float.NEGATIVE_INFINITY));
    assertEquals(Float.POSITIVE_INFINITY, exp(89.5f));
    assertEquals(Float.POSITIVE_INFINITY, exp(1e30f));
    assertEquals(Float.POSITIVE_INFINITY, exp(Float.POSITIVE_INFINITY));
    assertEquals(Float.NaN, exp(Float.NaN));
  }

  private static float exp(float x) {
    return VectorExp.exp(Lanes.splat(x)).lane(0);
  }
}
