package io.hirundo.devicecuda.internal.suite;

import io.hirundo.device.ComputeBackend;
import io.hirundo.device.Device;
import io.hirundo.devicecuda.internal.suite.bench.OwnProductTimes;
import io.hirundo.strategy.Choice;
import io.hirundo.strategy.StrategyRegistry;
import java.util.HashMap;
import java.util.List;
import java.util.function.Consumer;

/**
 * The own kernels for products, on a device that asks no library for any: where there is one, the kernels' part sees them only where
 * it has nothing. Their times beside the library's say whether it is worth asking.
 *
 * @param registry that has the device
 * @param chosen the device, without the option {@code gemm}
 * @param cases products to compare
 * @param reference that computes what is right
 * @param times of larger products
 */
record OwnProductsPart(StrategyRegistry registry, Choice chosen, List<KernelCase> cases, Device reference, OwnProductTimes times)
    implements Part {
  @Override
  public String name() {
    return "own-products";
  }

  @Override
  public int limitSeconds() {
    return 15;
  }

  @Override
  public Finding run(Allowance allowance, Consumer<String> progress) {
    var options = new HashMap<>(chosen.options());
    options.put("gemm", "own");
    try (Device own = registry.create(ComputeBackend.class, new Choice(chosen.name(), options), "device").open(0, new Unbooked())) {
      Finding compared = new KernelPart(cases, reference, own).run(allowance, progress);
      return new Finding(compared.summary(), compared.failures(), compared.details() + times.table(own, allowance), compared.isWhole());
    }
  }
}
