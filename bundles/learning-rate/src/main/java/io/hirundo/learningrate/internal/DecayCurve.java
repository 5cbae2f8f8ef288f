package io.hirundo.learningrate.internal;

import io.hirundo.ConfigurationException;

/** Curves from 1 down to 0, under Megatron-LM's names. */
enum DecayCurve {
    /** {@code 1 - x}. */
    LINEAR,
    /** {@code (1 + cos(pi x)) / 2}. */
    COSINE,
    /** {@code 2 0.5^x - 1}. */
    EXPONENTIAL,
    /** {@code 1 - sqrt(x)} (Hägele et al. 2024, arXiv 2405.18392). */
    MINUS_SQRT;

    static DecayCurve named(String name) {
        return switch (name) {
            case "linear" -> LINEAR;
            case "cosine" -> COSINE;
            case "exponential" -> EXPONENTIAL;
            case "minus_sqrt" -> MINUS_SQRT;
            default ->
                throw new ConfigurationException("learningRate.options.decayCurve: " + name
                        + " is wrong (allowed: linear, cosine, exponential, minus_sqrt)");
        };
    }

    /**
     * Value of the curve.
     *
     * @param done share of the fall that is done, from 0 to 1
     */
    double remaining(double done) {
        return switch (this) {
            case LINEAR -> 1 - done;
            case COSINE -> 0.5 * (1 + Math.cos(Math.PI * done));
            case EXPONENTIAL -> 2 * Math.pow(0.5, done) - 1;
            case MINUS_SQRT -> 1 - Math.sqrt(done);
        };
    }
}
