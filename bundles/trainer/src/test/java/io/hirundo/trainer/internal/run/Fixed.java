package io.hirundo.trainer.internal.run;

import io.hirundo.strategy.NoOptions;
import io.hirundo.strategy.StrategyFactory;

/** Serves one object, which the test keeps, as a strategy without options. */
record Fixed<T>(Class<T> contract, T strategy) implements StrategyFactory<NoOptions, T> {
  @Override
  public Class<NoOptions> optionsType() {
    return NoOptions.class;
  }

  @Override
  public T create(NoOptions options) {
    return strategy;
  }
}
