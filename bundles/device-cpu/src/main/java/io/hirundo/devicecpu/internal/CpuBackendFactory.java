package io.hirundo.devicecpu.internal;

import io.hirundo.ConfigurationException;
import io.hirundo.device.ComputeBackend;
import io.hirundo.strategy.HirundoStrategy;
import io.hirundo.strategy.StrategyFactory;
import java.util.Set;
import org.osgi.service.component.annotations.Component;

/** Offers the processors of this machine as the device {@code cpu}. */
@Component
@HirundoStrategy(kind = "device", name = "cpu")
public final class CpuBackendFactory implements StrategyFactory<CpuOptions, ComputeBackend> {
  @Override
  public Class<CpuOptions> optionsType() {
    return CpuOptions.class;
  }

  @Override
  public Class<ComputeBackend> contract() {
    return ComputeBackend.class;
  }

  @Override
  public ComputeBackend create(CpuOptions options) {
    if (options.workers() < 0) {
      throw new ConfigurationException("device cpu: workers must be 0 (all cores) or more, not " + options.workers());
    }
    if (!Set.of(CpuOptions.VECTOR, CpuOptions.REFERENCE).contains(options.kernels())) {
      throw new ConfigurationException(
          "device cpu: kernels must be vector or reference, not '" + options.kernels() + "'");
    }
    return new CpuBackend(options);
  }
}
