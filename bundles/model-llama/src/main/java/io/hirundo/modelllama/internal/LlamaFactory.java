package io.hirundo.modelllama.internal;

import io.hirundo.model.Architecture;
import io.hirundo.strategy.HirundoStrategy;
import io.hirundo.strategy.StrategyFactory;
import org.osgi.service.component.annotations.Component;

/** Architecture {@code llama}. */
@Component
@HirundoStrategy(kind = "architecture", name = "llama")
public final class LlamaFactory implements StrategyFactory<LlamaOptions, Architecture> {
  @Override
  public Class<LlamaOptions> optionsType() {
    return LlamaOptions.class;
  }

  @Override
  public Class<Architecture> contract() {
    return Architecture.class;
  }

  @Override
  public Architecture create(LlamaOptions options) {
    return new Llama(LlamaSizes.of(options));
  }
}
