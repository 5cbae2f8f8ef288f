package io.hirundo.regress.internal.golden;

/**
 * Figures of a step.
 *
 * @param step counts from 1
 * @param loss mean over the labels that count, in nats
 * @param gradientNorm global, before clipping
 * @param learningRate of the step
 */
public record StepRecord(long step, double loss, double gradientNorm, double learningRate) {}
