package io.hirundo.learningrate.internal;

import io.hirundo.ConfigurationException;
import java.util.Locale;
import java.util.stream.LongStream;

/**
 * Length of a linear warm-up, in one of four units.
 *
 * @param steps optimizer steps
 * @param fraction of the steps of the schedule
 * @param samples sequences, of which each step consumes {@code training.globalBatch}
 * @param tokens of which each step consumes {@code training.globalBatch} times {@code training.sequenceTokens}
 */
record Warmup(long steps, double fraction, long samples, long tokens) {
    static final String STEPS = "Steps in which the rate rises linearly from 0 to the peak";
    static final String FRACTION = "Warm-up as a fraction of the schedule's steps, rounded up; instead of warmupSteps";
    static final String SAMPLES = "Warm-up in sequences, rounded up to a step; instead of warmupSteps";
    static final String TOKENS = "Warm-up in tokens, rounded up to a step; instead of warmupSteps";

    /** Absorbs the rounding of a product that is a whole number of steps. */
    private static final double ROUNDING = 1e-9;

    /** Rejects negative lengths, and more than one unit. */
    void check() {
        Rates.require("warmupSteps", steps, steps >= 0, "at least 0");
        Rates.require("warmupFraction", fraction, fraction >= 0 && fraction <= 1, "0 to 1");
        Rates.require("warmupSamples", samples, samples >= 0, "at least 0");
        Rates.require("warmupTokens", tokens, tokens >= 0, "at least 0");
        if (LongStream.of(steps, fraction > 0 ? 1 : 0, samples, tokens)
                        .filter(unit -> unit > 0)
                        .count()
                > 1) {
            throw new ConfigurationException(String.format(
                    Locale.ROOT,
                    "learningRate.options: warmupSteps %d, warmupFraction %s, warmupSamples %d and warmupTokens %d are wrong together (allowed: one of them"
                            + " above 0); set the others to 0",
                    steps,
                    fraction,
                    samples,
                    tokens));
        }
    }

    /** The same length, in steps of a run with this batch; a fraction stays one. */
    Warmup inSteps(long samplesPerStep, long tokensPerStep) {
        return new Warmup(
                steps + Math.ceilDiv(samples, samplesPerStep) + Math.ceilDiv(tokens, tokensPerStep), fraction, 0, 0);
    }

    /**
     * Steps of the warm-up.
     *
     * @throws IllegalStateException for samples or tokens, which {@link #inSteps} converts
     */
    long steps(long totalSteps) {
        if (samples > 0 || tokens > 0) {
            throw new IllegalStateException(
                    "a warm-up in samples or tokens needs the run's batch: call forBatch first");
        }
        return fraction > 0 ? (long) Math.ceil(fraction * totalSteps * (1 - ROUNDING)) : steps;
    }
}
