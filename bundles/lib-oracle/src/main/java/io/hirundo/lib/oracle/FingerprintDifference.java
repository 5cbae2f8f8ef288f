package io.hirundo.lib.oracle;

import io.hirundo.event.TrainingEvent.TensorFingerprint;

/**
 * The difference of two tensors, estimated from their fingerprints.
 *
 * @param relative estimate of the norm of the difference over the norm of the first. The mean square of a difference of projections
 *     is the squared norm of the tensors' difference in expectation (Achlioptas 2003); with {@value FingerprintSums#PROJECTIONS}
 *     projections the estimate is within 0.5 to 1.5 times the norm in 95 of 100 cases. NaN if a value is NaN
 * @param scale norm of the second over that of the first, minus 1: exact up to rounding; it shows a tensor that was scaled
 */
public record FingerprintDifference(double relative, double scale) {
    public static final FingerprintDifference NONE = new FingerprintDifference(0, 0);

    /**
     * Compares fingerprints of the same tensor.
     *
     * @throws IllegalArgumentException if their numbers of elements differ
     */
    public static FingerprintDifference between(TensorFingerprint first, TensorFingerprint second) {
        if (first.elements() != second.elements()) {
            throw new IllegalArgumentException(first.tensor() + ": a fingerprint of " + first.elements()
                    + " elements and one of " + second.elements());
        }
        if (isSame(first, second)) {
            return NONE;
        }
        double squares = 0;
        for (int k = 0; k < first.projections().size(); k++) {
            double difference =
                    first.projections().get(k) - second.projections().get(k);
            squares += difference * difference;
        }
        double norm = Math.sqrt(first.sumOfSquares());
        double relative = Math.sqrt(squares / first.projections().size()) / norm;
        return new FingerprintDifference(relative, Math.sqrt(second.sumOfSquares()) / norm - 1);
    }

    /** Whether the fingerprints are the same in every bit: where the layout is the same, so are the tensors. */
    public static boolean isSame(TensorFingerprint first, TensorFingerprint second) {
        return first.equals(second);
    }
}
