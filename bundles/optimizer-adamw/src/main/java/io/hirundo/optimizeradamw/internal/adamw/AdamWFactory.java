package io.hirundo.optimizeradamw.internal.adamw;

import io.hirundo.ConfigurationException;
import io.hirundo.optimizer.Optimizer;
import io.hirundo.strategy.HirundoStrategy;
import io.hirundo.strategy.StrategyFactory;
import org.osgi.service.component.annotations.Component;

/** Optimizer {@code adamw}. */
@Component
@HirundoStrategy(kind = "optimizer", name = "adamw")
public final class AdamWFactory implements StrategyFactory<AdamWOptions, Optimizer> {
  @Override
  public Class<AdamWOptions> optionsType() {
    return AdamWOptions.class;
  }

  @Override
  public Class<Optimizer> contract() {
    return Optimizer.class;
  }

  @Override
  public Optimizer create(AdamWOptions options) {
    // With a decay of 1 no gradient would enter the moments, and the bias correction would divide by 0.
    require("beta1", options.beta1(), options.beta1() >= 0 && options.beta1() < 1, "at least 0 and below 1");
    require("beta2", options.beta2(), options.beta2() >= 0 && options.beta2() < 1, "at least 0 and below 1");
    require("epsilon", options.epsilon(), (float) options.epsilon() > 0, "above 0, also in FP32");
    require("weightDecay", options.weightDecay(), options.weightDecay() >= 0, "at least 0");
    return new AdamW(options);
  }

  /** Kernels compute in FP32, where a larger value is infinite. */
  private static void require(String name, double value, boolean allowed, String what) {
    if (!allowed || Float.isInfinite((float) value)) {
      throw new ConfigurationException("optimizer adamw: " + name + " is " + value + ", but must be " + what);
    }
  }
}
