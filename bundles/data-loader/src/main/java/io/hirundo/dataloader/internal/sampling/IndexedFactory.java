package io.hirundo.dataloader.internal.sampling;

import io.hirundo.ConfigurationException;
import io.hirundo.data.DataSource;
import io.hirundo.data.DocumentRules;
import io.hirundo.data.SampleRequest;
import io.hirundo.data.SampleSet;
import io.hirundo.strategy.HirundoStrategy;
import io.hirundo.strategy.StrategyFactory;
import java.util.List;
import org.osgi.service.component.annotations.Component;

/** Offers indexed datasets as a data source. */
@Component
@HirundoStrategy(kind = "data", name = "indexed")
public final class IndexedFactory implements StrategyFactory<IndexedOptions, DataSource> {
  @Override
  public Class<IndexedOptions> optionsType() {
    return IndexedOptions.class;
  }

  @Override
  public Class<DataSource> contract() {
    return DataSource.class;
  }

  @Override
  public DataSource create(IndexedOptions options) {
    if (options.blend().isEmpty()) {
      throw new ConfigurationException("blend: [] names no dataset; give at least one {prefix, weight}");
    }
    return new Indexed(options.blend(), DataSplit.parse(options.split()), options.documents().rules());
  }

  private record Indexed(List<WeightedPrefix> blend, DataSplit split, DocumentRules documents) implements DataSource {
    @Override
    public SampleSet open(SampleRequest request) {
      return IndexedSamples.open(blend, split, documents, request);
    }
  }
}
