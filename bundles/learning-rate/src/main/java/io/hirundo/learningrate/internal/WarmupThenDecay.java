package io.hirundo.learningrate.internal;

import io.hirundo.optimizer.LearningRateSchedule;

/**
 * The conventions that all schedules share, those of Megatron-LM's {@code OptimizerParamScheduler}: step t of a schedule of T steps with
 * w warm-up steps has the rate
 *
 * <ul>
 *   <li>{@code peak t / w} while t &lt;= w, so that step w has the peak;
 *   <li>{@code final + (peak - final) remaining(t - w, T - w)} until T;
 *   <li>{@code final} after T.
 * </ul>
 *
 * Step t is the rate that Megatron logs at iteration t. Megatron itself applies it one iteration later, its first
 * iteration having rate 0, which trains nothing; here the first step is used.
 */
record WarmupThenDecay(double peak, Warmup warmup, double finalRate, Decay decay) implements LearningRateSchedule {
    @Override
    public double at(long step, long totalSteps) {
        if (step < 1) {
            throw new IllegalArgumentException("steps count from 1, not " + step);
        }
        long warmupSteps = warmup.steps(totalSteps);
        if (step <= warmupSteps) {
            return peak * ((double) step / warmupSteps);
        }
        if (step > totalSteps) {
            return finalRate;
        }
        return finalRate + (peak - finalRate) * decay.remaining(step - warmupSteps, totalSteps - warmupSteps);
    }

    @Override
    public LearningRateSchedule forBatch(long samples, long tokens) {
        return new WarmupThenDecay(peak, warmup.inSteps(samples, tokens), finalRate, decay);
    }
}
