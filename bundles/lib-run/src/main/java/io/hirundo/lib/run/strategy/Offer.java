package io.hirundo.lib.run.strategy;

import io.hirundo.strategy.StrategyFactory;
import io.hirundo.strategy.StrategyInfo;
import java.util.function.Supplier;

/**
 * An installed strategy.
 *
 * @param kind for people
 * @param name in a configuration
 * @param bundle symbolic name and version
 * @param factory that creates it
 * @param digest of the bundle's content, compared between processes
 */
public record Offer(String kind, String name, String bundle, StrategyFactory<?, ?> factory, Supplier<String> digest) {
    /** Of a bundle that is equal in all processes. */
    public Offer(String kind, String name, String bundle, StrategyFactory<?, ?> factory) {
        this(kind, name, bundle, factory, () -> bundle);
    }

    /** Equal if the bundle's content is equal. */
    public String bundleDigest() {
        return digest.get();
    }

    StrategyInfo info() {
        return new StrategyInfo(kind, name, bundle, factory.optionsType());
    }
}
