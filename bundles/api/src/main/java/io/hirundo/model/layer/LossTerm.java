package io.hirundo.model.layer;

/**
 * A term that a layer adds to the loss, such as a balance loss of experts (Fedus et al. 2021, arXiv 2101.03961). The forward adds its
 * unscaled value to {@link StepContext#lossSum(LossTerm)}, and the layer's own backward adds its gradient, times {@link
 * StepContext#gradientScale(LossTerm)}. So schedules need not know of it. Ranks along
 * axes that split the rows of what it is computed from have values of their own, which are added; along other axes each rank computes the
 * same value, which counts once.
 *
 * @param name of the term in logs and metrics, for instance {@code balance}
 * @param coefficient what the mean of the term is multiplied by
 * @param per of what the mean is
 */
public record LossTerm(String name, double coefficient, Per per) {
    /** What a layer adds a value for. */
    public enum Per {
        TOKEN,
        /** It mixes positions. A sum over the tokens of a rank instead would differ between layouts. */
        SEQUENCE
    }

    /**
     * @throws IllegalArgumentException if the coefficient is not finite
     */
    public LossTerm {
        if (!Double.isFinite(coefficient)) {
            throw new IllegalArgumentException(
                    "loss term " + name + ": coefficient is " + coefficient + " (allowed: finite numbers)");
        }
    }
}
