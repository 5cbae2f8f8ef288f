package io.hirundo.lib.run.strategy;

import io.hirundo.strategy.StrategyFactory;
import io.hirundo.testkit.strategy.InertStrategies;

/** What bundles offer in tests of this module. */
public final class TestStrategies {
    private TestStrategies() {}

    public static Offer offer(String kind, String name, StrategyFactory<?, ?> factory) {
        return new Offer(kind, name, "test 1.0.0", factory);
    }

    public static StrategyTable table() {
        return new StrategyTable(InertStrategies.all().stream()
                .map(each -> offer(each.kind(), each.name(), each.factory()))
                .toList());
    }
}
