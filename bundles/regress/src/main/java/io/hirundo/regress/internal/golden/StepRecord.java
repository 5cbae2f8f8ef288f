package io.hirundo.regress.internal.golden;

/**
 * The figures of a step.
 *
 * @param step 1-based step number
 * @param loss mean over the labels that count, in nats
 * @param gradientNorm global norm before clipping
 * @param learningRate learning rate of the step
 */
public record StepRecord(long step, double loss, double gradientNorm, double learningRate) {}
