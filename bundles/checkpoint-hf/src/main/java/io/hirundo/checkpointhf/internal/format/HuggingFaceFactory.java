package io.hirundo.checkpointhf.internal.format;

import io.hirundo.checkpoint.ModelFormat;
import io.hirundo.strategy.HirundoStrategy;
import io.hirundo.strategy.StrategyFactory;
import org.osgi.service.component.annotations.Component;

/** Model format {@code huggingface}. */
@Component
@HirundoStrategy(kind = "model-format", name = "huggingface")
public final class HuggingFaceFactory implements StrategyFactory<HuggingFaceOptions, ModelFormat> {
  @Override
  public Class<HuggingFaceOptions> optionsType() {
    return HuggingFaceOptions.class;
  }

  @Override
  public Class<ModelFormat> contract() {
    return ModelFormat.class;
  }

  @Override
  public ModelFormat create(HuggingFaceOptions options) {
    return new HuggingFaceFormat(options.maxShardBytes());
  }
}
