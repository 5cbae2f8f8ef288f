package io.hirundo.trainer.internal.strategy;

import io.hirundo.strategy.Choice;

/**
 * A strategy that is in use. As long as it is held, its bundle does not go away.
 *
 * @param path where the choice stands in the configuration
 * @param choice that it was made from
 * @param offer that made it
 * @param strategy what was made
 */
public record Lease(String path, Choice choice, Offer offer, Object strategy) {}
