package io.hirundo.regress.internal.compare;

import io.hirundo.event.TrainingEvent.TensorFingerprint;
import io.hirundo.regress.internal.golden.CaseRecord;
import java.util.List;

/**
 * Bounds of the rounding noise: how much a result may change when the same numbers are multiplied and summed in another order. In FP32 and
 * FP64 a sum of K summands has a relative error of about {@code u sqrt(K)} (Higham and Mary 2019, "A new approach to probabilistic rounding
 * error analysis"), which grows with the number of layers. If values are then rounded to BF16 or FP8, even a change far below the spacing
 * of the type moves some of them to the next value. After a few layers the difference is a few {@code u} of the type, whatever it was at
 * first.
 *
 * <p>Such differences have random signs, so the norm of a tensor changes much less than its elements. Therefore {@link #scale} is a
 * separate bound. In the first step it is at most {@value #MAX_FIRST_SCALE}, which detects a change of 1 % in any tensor. From the second
 * step on weights differ as well. {@code docs/regress.md} has the table and measured values.
 *
 * @param dtype name of the type whose rounding counts
 * @param relative bound of a tensor's difference: norm of the difference divided by the norm
 * @param scale bound of the relative change of a tensor's norm, and of the global gradient norm
 */
public record Noise(String dtype, Bound relative, Bound scale) {
  /** Half of the smallest fault that must be detected: a gradient that is 1 % too large. */
  static final double MAX_FIRST_SCALE = 5e-3;

  /** The loss is a mean over tokens, in which differences largely cancel. */
  private static final double LOSS_SHARE = 1.0 / 32;

  /** In standard deviations; see {@link #ofWeight}. */
  private static final double SIGN_CHANGES = 4;

  private static final double U_FP64 = 0x1p-53;
  private static final double U_FP32 = 0x1p-24;
  private static final double U_BF16 = 0x1p-9;
  private static final double U_E4M3 = 0x1p-4;

  /**
   * A bound for the first step, with equal weights, and for later steps.
   *
   * @param first bound in step 1
   * @param later bound from step 2 on
   */
  public record Bound(double first, double later) {
    double of(long step) {
      return step == 1 ? first : later;
    }
  }

  /** The noise between two results; the coarser of both types counts. */
  public static Noise between(CaseRecord one, CaseRecord other) {
    long reduction = Math.max(reductionLength(one), reductionLength(other));
    Noise first = of(one.precision(), reduction);
    Noise second = of(other.precision(), reduction);
    return first.relative.first >= second.relative.first ? first : second;
  }

  /**
   * The noise of a precision strategy by name: names that begin with {@code fp8} or {@code bf16}, {@code fp32} and {@code fp64}. Unknown
   * names have the bounds of bf16.
   *
   * @param reductionLength number of summands of the longest sum
   */
  public static Noise of(String precision, long reductionLength) {
    if (precision.startsWith("fp8")) {
      return new Noise("fp8", new Bound(4 * U_E4M3, 8 * U_E4M3), new Bound(MAX_FIRST_SCALE, 3e-2));
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
    // Capped, because longer sums would no longer detect 1 %.
    return new Noise(dtype, bound, new Bound(Math.min(bound.first, MAX_FIRST_SCALE), bound.later));
  }

  /**
   * A weight gradient sums over tokens. Other GEMMs sum over the inputs or outputs of the largest matrix, which is assumed to be square.
   */
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
   * The bound for a weight after updates with learning rates that sum to {@code rates}. An optimizer that normalizes by the gradient's
   * magnitude, like Adam, flips the update of an element if rounding changes the sign of its gradient. That affects a fraction of elements
   * about as large as the gradient's noise, each by up to twice the rate.
   */
  double ofWeight(long step, double rates, TensorFingerprint weight) {
    double size = Math.sqrt(weight.sumOfSquares() / weight.elements());
    double ofUpdates = SIGN_CHANGES * rates * Math.sqrt(relative.of(step)) / size;
    // Weights are rounded when they are stored.
    return Math.max(ofUpdates, 4 * U_FP32);
  }
}
