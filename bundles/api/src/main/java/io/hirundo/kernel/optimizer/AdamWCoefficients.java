package io.hirundo.kernel.optimizer;

/**
 * Scalars of one AdamW step.
 *
 * @param learningRate of this step
 * @param beta1 decay of the first moment
 * @param beta2 decay of the second moment
 * @param epsilon added to the square root of the second moment
 * @param weightDecay decoupled; 0 for vectors
 * @param step from 1, for bias correction
 */
public record AdamWCoefficients(
        double learningRate, double beta1, double beta2, double epsilon, double weightDecay, long step) {}
