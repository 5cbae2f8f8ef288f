package io.hirundo.optimizerlion.internal;

import io.hirundo.ConfigurationException;
import io.hirundo.optimizer.Optimizer;
import io.hirundo.strategy.HirundoStrategy;
import io.hirundo.strategy.StrategyFactory;
import org.osgi.service.component.annotations.Component;

/** Optimizer {@code lion}. */
@Component
@HirundoStrategy(kind = "optimizer", name = "lion")
public final class LionFactory implements StrategyFactory<LionOptions, Optimizer> {
  @Override
  public Class<LionOptions> optionsType() {
    return LionOptions.class;
  }

  @Override
  public Class<Optimizer> contract() {
    return Optimizer.class;
  }

  @Override
  public Optimizer create(LionOptions options) {
    require("beta1", options.beta1(), options.beta1() >= 0 && options.beta1() <= 1, "between 0 and 1");
    // With a decay of 1 no gradient would enter the moving average.
    require("beta2", options.beta2(), options.beta2() >= 0 && options.beta2() < 1, "at least 0 and below 1");
    require("weightDecay", options.weightDecay(), options.weightDecay() >= 0, "at least 0");
    return new Lion(options);
  }

  /** Kernels compute in FP32, where a larger value is infinite. */
  private static void require(String name, double value, boolean allowed, String what) {
    if (!allowed || Float.isInfinite((float) value)) {
      throw new ConfigurationException("optimizer lion: " + name + " is " + value + ", but must be " + what);
    }
  }
}
