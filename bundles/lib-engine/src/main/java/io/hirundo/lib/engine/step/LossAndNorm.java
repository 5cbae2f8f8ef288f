package io.hirundo.lib.engine.step;

/**
 * The result of a microbatch.
 *
 * @param loss mean loss per label, in nats
 * @param gradientNorm norm of the gradient of that mean; NaN after a forward pass alone
 */
public record LossAndNorm(double loss, double gradientNorm) {}
