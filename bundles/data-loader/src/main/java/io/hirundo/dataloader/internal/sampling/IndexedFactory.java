package io.hirundo.dataloader.internal.sampling;

import io.hirundo.ConfigurationException;
import io.hirundo.command.Interruption;
import io.hirundo.data.DataSource;
import io.hirundo.dataloader.internal.megatron.DataSplit;
import io.hirundo.dataloader.internal.stop.Stop;
import io.hirundo.strategy.HirundoStrategy;
import io.hirundo.strategy.StrategyFactory;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Reference;

/** Offers indexed datasets as a data source. */
@Component
@HirundoStrategy(kind = "data", name = "indexed")
public final class IndexedFactory implements StrategyFactory<IndexedOptions, DataSource> {
    private final Stop stop;

    @Activate
    public IndexedFactory(@Reference Interruption interruption) {
        stop = Stop.on(interruption);
    }

    @Override
    public DataSource create(IndexedOptions options) {
        if (options.blend().isEmpty()) {
            throw new ConfigurationException("blend: [] names no dataset; give at least one {prefix, weight}");
        }
        DatasetNames.requireDistinct(options.blend());
        return new IndexedSource(
                options.blend(),
                DataSplit.parse(options.split()),
                options.documents().rules(),
                options.order(),
                options.verify(),
                stop);
    }
}
