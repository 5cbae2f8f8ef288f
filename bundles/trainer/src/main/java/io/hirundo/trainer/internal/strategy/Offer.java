package io.hirundo.trainer.internal.strategy;

import io.hirundo.strategy.StrategyFactory;
import io.hirundo.strategy.StrategyInfo;
import java.util.function.Supplier;

/**
 * A strategy that is there.
 *
 * @param kind as people read it
 * @param name that a configuration chooses it by
 * @param bundle symbolic name and version
 * @param factory that makes it
 * @param digest of the bundle's content, for processes to compare
 */
public record Offer(String kind, String name, String bundle, StrategyFactory<?, ?> factory, Supplier<String> digest) {
  /** Of a bundle that is the same everywhere. */
  public Offer(String kind, String name, String bundle, StrategyFactory<?, ?> factory) {
    this(kind, name, bundle, factory, () -> bundle);
  }

  /** Equal where the bundle's content is. */
  public String bundleDigest() {
    return digest.get();
  }

  StrategyInfo info() {
    return new StrategyInfo(kind, name, bundle, factory.optionsType());
  }
}
