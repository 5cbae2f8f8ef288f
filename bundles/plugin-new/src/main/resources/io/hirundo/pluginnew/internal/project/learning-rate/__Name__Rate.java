package __package__;

import io.hirundo.optimizer.LearningRateSchedule;

/**
 * Inverse square root (Vaswani et al. 2017, arXiv 1706.03762), with a cool-down (Zhai et al. 2021, arXiv 2106.04560): the length of the run
 * changes the last steps only, so that a run can be extended from a checkpoint before them.
 */
record __Name__Rate(double peak, long warmupSteps, long cooldownSteps) implements LearningRateSchedule {
    /**
     * {@code peak min(t / w, sqrt(w / t))} at step t with w warm-up steps, times {@code (T - t + 1) / (c + 1)} in the last c of T steps.
     *
     * @param step from 1; a record has no state, so that a resumed run, which asks for later steps only, gets the same rates
     */
    @Override
    public double at(long step, long totalSteps) {
        double progress = (double) step / warmupSteps;
        double rate = peak * (progress <= 1 ? progress : 1 / Math.sqrt(progress));
        long left = Math.max(0, totalSteps - step);
        return left >= cooldownSteps ? rate : rate * (left + 1) / (cooldownSteps + 1);
    }
}
