package io.hirundo.lib.optimizer;

/**
 * How updated weights are rounded to BF16.
 *
 * @param isStochastic up or down at random, so that the expected value is the updated weight; otherwise to the nearest, even one
 * @param seed of the random bits
 */
public record WeightRounding(boolean isStochastic, long seed) {}
