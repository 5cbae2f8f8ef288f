package io.hirundo.checkpointtorch.internal;

import io.hirundo.checkpoint.ModelFormat;
import io.hirundo.checkpointtorch.internal.model.TorchDcpOptions;
import io.hirundo.strategy.HirundoStrategy;
import io.hirundo.strategy.StrategyFactory;
import org.osgi.service.component.annotations.Component;

/** Model format {@code torch-dcp}. */
@Component
@HirundoStrategy(kind = "model-format", name = "torch-dcp")
public final class TorchDcpFactory implements StrategyFactory<TorchDcpOptions, ModelFormat> {
  @Override
  public Class<TorchDcpOptions> optionsType() {
    return TorchDcpOptions.class;
  }

  @Override
  public Class<ModelFormat> contract() {
    return ModelFormat.class;
  }

  @Override
  public ModelFormat create(TorchDcpOptions options) {
    return new TorchDcpFormat(options);
  }
}
