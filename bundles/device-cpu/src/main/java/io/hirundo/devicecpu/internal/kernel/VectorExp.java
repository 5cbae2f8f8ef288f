package io.hirundo.devicecpu.internal.kernel;

import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.VectorOperators;

/**
 * The exponential of FP32 lanes. {@code x = n ln 2 + r} with whole n (Cody and Waite 1980, two-part ln 2), the Taylor
 * polynomial of degree 7 for {@code exp(r), |r| <= ln(2)/2} (truncation 5e-9), and a multiplication by {@code 2^n}.
 * Relative error below 1.2e-7 in [-87.3, 88.3]; 0 below, as subnormals are not made; infinity above; NaN stays NaN.
 */
final class VectorExp {
  /** Adding this leaves round-to-even(x) + 127 in the low bits: the exponent field of 2^x. */
  private static final float EXPONENT_MAGIC = 0x1.8p23f + 127;

  private static final float LOG2_E = 0x1.715476p0f;
  /** ln 2 with 15 trailing zero bits, so that n times it is exact, and what is left of it. */
  private static final float LN2_HIGH = 0x1.63p-1f;
  private static final float LN2_LOW = -0x1.bd0106p-13f;
  private static final float LOWEST = -87.33654f;
  private static final float HIGHEST = 89f;

  private VectorExp() {}

  static FloatVector exp(FloatVector x) {
    return expUpTo88(x.blend(HIGHEST, x.compare(VectorOperators.GT, HIGHEST)));
  }

  /** As {@link #exp}, two instructions shorter, where no finite lane is above 89. */
  static FloatVector expUpTo88(FloatVector x) {
    FloatVector exponent = x.fma(Lanes.splat(LOG2_E), Lanes.splat(EXPONENT_MAGIC));
    FloatVector n = exponent.sub(EXPONENT_MAGIC);
    FloatVector r = n.fma(Lanes.splat(-LN2_HIGH), x);
    r = n.fma(Lanes.splat(-LN2_LOW), r);
    FloatVector p = r.fma(Lanes.splat(1f / 5040), Lanes.splat(1f / 720));
    p = p.fma(r, Lanes.splat(1f / 120));
    p = p.fma(r, Lanes.splat(1f / 24));
    p = p.fma(r, Lanes.splat(1f / 6));
    p = p.fma(r, Lanes.splat(0.5f));
    p = p.fma(r, Lanes.splat(1f));
    p = p.fma(r, Lanes.splat(1f));
    FloatVector power = exponent.reinterpretAsInts().lanewise(VectorOperators.LSHL, 23).reinterpretAsFloats();
    return p.mul(power).blend(0f, x.compare(VectorOperators.LT, LOWEST));
  }
}
