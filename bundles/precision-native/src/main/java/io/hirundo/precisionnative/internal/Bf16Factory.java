package io.hirundo.precisionnative.internal;

import io.hirundo.precision.PrecisionStrategy;
import io.hirundo.strategy.HirundoStrategy;
import io.hirundo.strategy.NoOptions;
import io.hirundo.strategy.StrategyFactory;
import io.hirundo.tensor.DType;
import org.osgi.service.component.annotations.Component;

/** Precision {@code bf16}: bfloat16 activations and GEMM operands; FP32 parameters and gradients. */
@Component
@HirundoStrategy(kind = "precision", name = "bf16")
public final class Bf16Factory implements StrategyFactory<NoOptions, PrecisionStrategy> {
  @Override
  public Class<NoOptions> optionsType() {
    return NoOptions.class;
  }

  @Override
  public Class<PrecisionStrategy> contract() {
    return PrecisionStrategy.class;
  }

  @Override
  public PrecisionStrategy create(NoOptions options) {
    return new NativePrecision(DType.FP32, DType.BF16);
  }
}
