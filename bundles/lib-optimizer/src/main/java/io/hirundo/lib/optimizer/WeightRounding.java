package io.hirundo.lib.optimizer;

/**
 * How updated weights are rounded to BF16.
 *
 * @param isStochastic up or down at random, so that the expected value is the updated weight; otherwise to the nearest, even one
 * @param seed of the random bits
 */
public record WeightRounding(boolean isStochastic, long seed) {
    /** Value of the option {@code bf16Rounding}, which optimizers of BF16 weights share. */
    public static final String STOCHASTIC = "stochastic";

    /** The other one. */
    public static final String NEAREST = "nearest";

    /**
     * As the options say.
     *
     * @param bf16Rounding {@link #STOCHASTIC} or {@link #NEAREST}
     */
    public static WeightRounding of(String bf16Rounding, long roundingSeed) {
        return new WeightRounding(bf16Rounding.equals(STOCHASTIC), roundingSeed);
    }
}
