package io.hirundo.precision;

/**
 * Bounds on the error of a layer's GEMMs from operand quantization: norm of the difference over the norm of the result, for one
 * microbatch. A parity check before a swap has bounds of its own; the tighter bound applies.
 *
 * @param output of {@code y = x wᵀ}
 * @param inputGradient of {@code dx = dy w}
 * @param weightGradient of {@code dw += dyᵀ x}
 */
public record ParityBound(double output, double inputGradient, double weightGradient) {
    /** No bound. */
    public static final ParityBound NONE =
            new ParityBound(Double.POSITIVE_INFINITY, Double.POSITIVE_INFINITY, Double.POSITIVE_INFINITY);

    public ParityBound {
        if (!(output > 0 && inputGradient > 0 && weightGradient > 0)) {
            throw new IllegalArgumentException("parity bounds: " + output + ", " + inputGradient + " and "
                    + weightGradient + " are wrong (allowed: above 0)");
        }
    }

    /** The smaller bound for each GEMM. */
    public ParityBound tightest(ParityBound other) {
        return new ParityBound(
                Math.min(output, other.output),
                Math.min(inputGradient, other.inputGradient),
                Math.min(weightGradient, other.weightGradient));
    }
}
