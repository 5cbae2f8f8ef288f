package io.hirundo.regress.internal.compare;

import io.hirundo.event.TrainingEvent.TensorFingerprint;
import io.hirundo.lib.oracle.gemm.OperandError;
import io.hirundo.regress.internal.golden.CaseRecord;
import io.hirundo.tensor.DType;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

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

    /** The noise between two results; the coarsest type of both counts. */
    public static Noise between(CaseRecord one, CaseRecord other) {
        var types = new HashSet<>(one.operandTypes());
        types.addAll(other.operandTypes());
        return of(types, Math.max(reductionLength(one), reductionLength(other)));
    }

    /**
     * The noise of GEMMs by what they multiply, as their precision declares it. The coarsest type counts.
     *
     * @param reductionLength number of summands of the longest sum
     */
    public static Noise of(Set<DType> operandTypes, long reductionLength) {
        DType coarsest = operandTypes.stream()
                .max(Comparator.comparingDouble(OperandError::largest))
                .orElseThrow();
        return switch (coarsest) {
            case FP64 -> ofSums("fp64", U_FP64, reductionLength);
            case FP32 -> ofSums("fp32", U_FP32, reductionLength);
            case BF16 -> new Noise("bf16", new Bound(12 * U_BF16, 32 * U_BF16), new Bound(4e-3, 1e-2));
            case FP8_E4M3, FP8_E5M2 ->
                new Noise("fp8", new Bound(4 * U_E4M3, 8 * U_E4M3), new Bound(MAX_FIRST_SCALE, 3e-2));
            case INT32 -> throw new IllegalArgumentException("no operand is of type " + coarsest);
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
        long largest = result.fingerprints().stream()
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
