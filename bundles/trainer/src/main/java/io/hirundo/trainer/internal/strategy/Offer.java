package io.hirundo.trainer.internal.strategy;

import io.hirundo.strategy.StrategyFactory;
import io.hirundo.strategy.StrategyInfo;

/**
 * A strategy that is there.
 *
 * @param kind as people read it
 * @param name that a configuration chooses it by
 * @param bundle symbolic name and version
 * @param factory that makes it
 */
public record Offer(String kind, String name, String bundle, StrategyFactory<?, ?> factory) {
  StrategyInfo info() {
    return new StrategyInfo(kind, name, bundle, factory.optionsType());
  }
}
