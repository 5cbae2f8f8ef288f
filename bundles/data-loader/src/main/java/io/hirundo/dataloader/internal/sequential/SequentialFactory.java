package io.hirundo.dataloader.internal.sequential;

import io.hirundo.data.DataSource;
import io.hirundo.dataloader.internal.indexed.IndexedDataset;
import io.hirundo.strategy.HirundoStrategy;
import io.hirundo.strategy.StrategyFactory;
import java.nio.file.Path;
import org.osgi.service.component.annotations.Component;

/** Offers a dataset in file order, once, as a data source. */
@Component
@HirundoStrategy(kind = "data", name = "sequential")
public final class SequentialFactory implements StrategyFactory<SequentialOptions, DataSource> {
  @Override
  public Class<SequentialOptions> optionsType() {
    return SequentialOptions.class;
  }

  @Override
  public Class<DataSource> contract() {
    return DataSource.class;
  }

  @Override
  public DataSource create(SequentialOptions options) {
    return request ->
        new SequentialSamples(IndexedDataset.open(Path.of(options.prefix())), request.sequenceTokens());
  }
}
