package io.hirundo.model;

/**
 * How a tensor begins. A value depends on the run's seed, the tensor's Hugging Face name and the element's index in the
 * whole tensor alone, never on the layout.
 *
 * @param mean of the normal distribution
 * @param standardDeviation of the normal distribution; 0 for a constant
 */
public record Initialization(double mean, double standardDeviation) {
  public static final Initialization ONES = new Initialization(1, 0);

  public static Initialization normal(double standardDeviation) {
    return new Initialization(0, standardDeviation);
  }
}
