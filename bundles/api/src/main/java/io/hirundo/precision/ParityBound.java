package io.hirundo.precision;

/**
 * What the rounding of its operands may change in a layer's products: the norm of the difference over the norm, for one microbatch.
 * A run that checks a strategy before it takes over has bounds of its own; of two the tighter holds.
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
      throw new IllegalArgumentException(
          "bounds must be above 0, not " + output + ", " + inputGradient + " and " + weightGradient);
    }
  }

  /** Of each figure the smaller one. */
  public ParityBound tightest(ParityBound other) {
    return new ParityBound(
        Math.min(output, other.output),
        Math.min(inputGradient, other.inputGradient),
        Math.min(weightGradient, other.weightGradient));
  }
}
