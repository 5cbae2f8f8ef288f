package io.hirundo.monitor.internal.console;

import io.hirundo.event.TrainingEvent.StepMetrics;

/** Exponential moving average of the speed, so that one slow step does not dominate. */
final class StepAverage {
    /** Weight of a new step, after the first 1/weight steps. */
    private static final double NEWEST = 0.1;

    private long steps;
    private double stepNanos;
    private double tokens;
    private double flops;
    private long allNanos;
    private long allTokens;

    void add(StepMetrics metrics) {
        steps++;
        double weight = Math.max(NEWEST, 1.0 / steps);
        stepNanos += weight * (metrics.stepNanos() - stepNanos);
        tokens += weight * (metrics.tokens() - tokens);
        flops += weight * (metrics.modelFlops() - flops);
        allNanos += metrics.stepNanos();
        allTokens += metrics.tokens();
    }

    boolean isEmpty() {
        return steps == 0;
    }

    double tokensPerSecond() {
        return tokens * 1e9 / stepNanos;
    }

    double modelTflops() {
        return flops / 1e3 / stepNanos;
    }

    /** The steps that were added; a step that is repeated after a rollback counts again. */
    long steps() {
        return steps;
    }

    /** Of all steps. */
    long allTokens() {
        return allTokens;
    }

    /** Over all steps. */
    double overallTokensPerSecond() {
        return allTokens * 1e9 / allNanos;
    }
}
