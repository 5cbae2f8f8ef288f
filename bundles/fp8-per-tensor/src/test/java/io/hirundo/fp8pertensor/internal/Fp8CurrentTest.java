package io.hirundo.fp8pertensor.internal;

import io.hirundo.device.ComputeBackend;
import io.hirundo.devicecpu.internal.CpuBackendFactory;
import io.hirundo.devicecpu.internal.CpuOptions;
import io.hirundo.precision.LinearShape;
import io.hirundo.precision.PrecisionStrategy;
import io.hirundo.testkit.HirundoContract;
import io.hirundo.testkit.PrecisionContract;
import java.util.List;

@HirundoContract
class Fp8CurrentTest implements PrecisionContract {
  @Override
  public PrecisionStrategy strategy() {
    return new Fp8CurrentFactory().create(new Fp8CurrentOptions());
  }

  @Override
  public ComputeBackend backend() {
    return new CpuBackendFactory().create(new CpuOptions(1, CpuOptions.VECTOR));
  }

  /** E5M2 gradients are rounded by an eighth at most, 0.053 on average; E4M3 by half of that. */
  @Override
  public double tolerance() {
    return 0.09;
  }

  /** In fp8, and with an odd one in bf16. */
  @Override
  public List<LinearShape> shapes() {
    return List.of(
        new LinearShape("layers.3.mlp.odd", 33, 34),
        new LinearShape("layers.3.mlp.up", 48, 16),
        new LinearShape("layers.3.mlp.down", 144, 272));
  }
}
