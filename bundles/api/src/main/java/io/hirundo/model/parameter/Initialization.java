package io.hirundo.model.parameter;

/**
 * How a tensor is initialized. A value depends only on the run's seed, the tensor's published name and the element's index in the
 * unsharded tensor, never on the layout.
 *
 * @param mean of the normal distribution
 * @param standardDeviation of the normal distribution; 0 for a constant
 */
public record Initialization(double mean, double standardDeviation) {
    public static final Initialization ZEROS = new Initialization(0, 0);
    public static final Initialization ONES = new Initialization(1, 0);

    public static Initialization normal(double standardDeviation) {
        return new Initialization(0, standardDeviation);
    }
}
