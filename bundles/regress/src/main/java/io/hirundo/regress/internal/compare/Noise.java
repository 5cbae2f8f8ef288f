package io.hirundo.regress.internal.compare;

import io.hirundo.event.TrainingEvent.TensorFingerprint;
import io.hirundo.regress.internal.golden.CaseRecord;
import java.util.List;

/**
 * What another order of summation may change, with the same numbers multiplied. In FP32 and FP64 a sum of K summands is off by about
 * {@code u sqrt(K)} of itself (Higham and Mary 2019, "A new approach to probabilistic rounding error analysis"), which layers add to.
 * Where values are then rounded to BF16 or FP8, a change far below the type's spacing still moves some of them to the next value: after
 * a few layers the difference is some {@code u} of the type, whatever it was at first.
 *
 * <p>Such differences have random signs, so that the norm of a tensor changes by far less than they are: that is why {@link #scale} is
 * a bound of its own, and in a first step at most {@value #MOST_FIRST_SCALE}, which notices 1 % in any tensor. From the second step on
 * weights differ as well. {@code docs/regress.md} has the table, and what was seen.
 *
 * @param dtype name of the type whose rounding counts
 * @param relative of a tensor: norm of the difference over the norm
 * @param scale of a tensor's norm, and of the global gradient norm
 */
public record Noise(String dtype, Bound relative, Bound scale) {
  /** Half of the smallest fault that must be noticed: a gradient that is 1 % too large. */
  static final double MOST_FIRST_SCALE = 5e-3;

  /** A mean over tokens: of the differences of its summands little is left. */
  private static final double LOSS_SHARE = 1.0 / 32;

  /** Standard deviations; see {@link #ofWeight}. */
  private static final double SIGN_CHANGES = 4;

  private static final double U_FP64 = 0x1p-53;
  private static final double U_FP32 = 0x1p-24;
  private static final double U_BF16 = 0x1p-9;
  private static final double U_E4M3 = 0x1p-4;

  /**
   * A bound in the first step, from the same weights, and in later ones.
   *
   * @param first in step 1
   * @param later from step 2 on
   */
  public record Bound(double first, double later) {
    double of(long step) {
      return step == 1 ? first : later;
    }
  }

  /** Of two results of a case, or of two cases: the coarser type of both counts. */
  public static Noise between(CaseRecord one, CaseRecord other) {
    long reduction = Math.max(reductionLength(one), reductionLength(other));
    Noise first = of(one.precision(), reduction);
    Noise second = of(other.precision(), reduction);
    return first.relative.first >= second.relative.first ? first : second;
  }

  /**
   * Of a precision strategy, by its name: those that begin with {@code fp8} or {@code bf16}, {@code fp32} and {@code fp64}. A name that
   * is unknown has the bounds of bf16.
   *
   * @param reductionLength summands of the longest sum
   */
  public static Noise of(String precision, long reductionLength) {
    if (precision.startsWith("fp8")) {
      return new Noise("fp8", new Bound(4 * U_E4M3, 8 * U_E4M3), new Bound(MOST_FIRST_SCALE, 3e-2));
    }
    return switch (precision) {
      case "fp64" -> ofSums("fp64", U_FP64, reductionLength);
      case "fp32" -> ofSums("fp32", U_FP32, reductionLength);
      default -> new Noise("bf16", new Bound(12 * U_BF16, 32 * U_BF16), new Bound(4e-3, 1e-2));
    };
  }

  private static Noise ofSums(String dtype, double u, long reductionLength) {
    double sum = u * Math.sqrt(reductionLength);
    var bound = new Bound(4 * sum, 32 * sum);
    // Sums longer than any would not notice 1 % any more.
    return new Noise(dtype, bound, new Bound(Math.min(bound.first, MOST_FIRST_SCALE), bound.later));
  }

  /** Tokens are summed in a weight gradient, inputs or outputs of the largest matrix, taken for a square, in the other products. */
  private static long reductionLength(CaseRecord result) {
    long largest =
        result.fingerprints().stream()
            .map(taken -> taken.gradients())
            .flatMap(List::stream)
            .mapToLong(TensorFingerprint::elements)
            .max()
            .orElse(1);
    return Math.max(result.tokensPerStep(), (long) Math.sqrt(largest));
  }

  double ofGradient(long step) {
    return relative.of(step);
  }

  double ofScale(long step) {
    return scale.of(step);
  }

  double ofLoss(long step) {
    return relative.of(step) * LOSS_SHARE;
  }

  /**
   * Of a weight after updates whose rates sum up to {@code rates}. An optimizer that divides by the gradient's own size, as Adam does,
   * turns the update of an element around where rounding changes the sign of its gradient: of a share of the elements about as large
   * as the gradient's noise, each by up to twice the rate.
   */
  double ofWeight(long step, double rates, TensorFingerprint weight) {
    double size = Math.sqrt(weight.sumOfSquares() / weight.elements());
    double ofUpdates = SIGN_CHANGES * rates * Math.sqrt(relative.of(step)) / size;
    // Weights are rounded when they are stored.
    return Math.max(ofUpdates, 4 * U_FP32);
  }
}
