package io.hirundo.optimizermuon.internal;

import io.hirundo.ConfigurationException;
import io.hirundo.optimizer.Optimizer;
import io.hirundo.strategy.HirundoStrategy;
import io.hirundo.strategy.StrategyFactory;
import org.osgi.service.component.annotations.Component;

/** Optimizer {@code muon}. */
@Component
@HirundoStrategy(kind = "optimizer", name = "muon")
public final class MuonFactory implements StrategyFactory<MuonOptions, Optimizer> {
  @Override
  public Class<MuonOptions> optionsType() {
    return MuonOptions.class;
  }

  @Override
  public Class<Optimizer> contract() {
    return Optimizer.class;
  }

  @Override
  public Optimizer create(MuonOptions options) {
    // With a decay of 1 no gradient would fade or enter.
    requireBelowOne("momentum", options.momentum());
    requireBelowOne("beta1", options.beta1());
    requireBelowOne("beta2", options.beta2());
    require("epsilon", options.epsilon(), (float) options.epsilon() > 0, "above 0, also in FP32");
    require("weightDecay", options.weightDecay(), options.weightDecay() >= 0, "at least 0");
    return new Muon(options);
  }

  private static void requireBelowOne(String name, double value) {
    require(name, value, value >= 0 && value < 1, "at least 0 and below 1");
  }

  /** Kernels compute in FP32, where a larger value is infinite. */
  private static void require(String name, double value, boolean allowed, String what) {
    if (!allowed || Float.isInfinite((float) value)) {
      throw new ConfigurationException("optimizer muon: " + name + " is " + value + ", but must be " + what);
    }
  }
}
