package io.hirundo.dataloader.internal.synthetic;

import io.hirundo.data.DataSource;
import io.hirundo.strategy.HirundoStrategy;
import io.hirundo.strategy.StrategyFactory;
import org.osgi.service.component.annotations.Component;

/** Data source {@code synthetic}: synthetic tokens. */
@Component
@HirundoStrategy(kind = "data", name = "synthetic")
public final class SyntheticFactory implements StrategyFactory<SyntheticOptions, DataSource> {
    @Override
    public DataSource create(SyntheticOptions options) {
        return new SyntheticSource(options);
    }
}
