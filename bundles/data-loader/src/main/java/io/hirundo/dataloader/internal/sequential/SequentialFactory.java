package io.hirundo.dataloader.internal.sequential;

import io.hirundo.command.Interruption;
import io.hirundo.data.DataSource;
import io.hirundo.dataloader.internal.indexed.IndexedDataset;
import io.hirundo.dataloader.internal.stop.Stop;
import io.hirundo.strategy.HirundoStrategy;
import io.hirundo.strategy.StrategyFactory;
import java.nio.file.Path;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Reference;

/** Offers a dataset in file order, once, as a data source. */
@Component
@HirundoStrategy(kind = "data", name = "sequential")
public final class SequentialFactory implements StrategyFactory<SequentialOptions, DataSource> {
    private final Stop stop;

    @Activate
    public SequentialFactory(@Reference Interruption interruption) {
        stop = Stop.on(interruption);
    }

    @Override
    public DataSource create(SequentialOptions options) {
        return request -> new SequentialSamples(
                IndexedDataset.open(Path.of(options.prefix()), true, stop), request.sequenceTokens());
    }
}
