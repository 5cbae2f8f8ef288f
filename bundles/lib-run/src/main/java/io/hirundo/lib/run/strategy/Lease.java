package io.hirundo.lib.run.strategy;

import io.hirundo.strategy.Choice;

/**
 * A strategy in use. Its bundle cannot stop while the lease is held.
 *
 * @param path of the choice in the configuration
 * @param choice that it was created from
 * @param offer that created it
 * @param strategy the object
 */
public record Lease(String path, Choice choice, Offer offer, Object strategy) {}
