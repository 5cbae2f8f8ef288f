package io.hirundo.devicecuda.internal.suite;

import io.hirundo.device.ComputeBackend;
import io.hirundo.device.Device;
import io.hirundo.devicecuda.internal.suite.bench.OtherTimes;
import io.hirundo.strategy.Choice;
import io.hirundo.strategy.StrategyRegistry;
import java.util.HashMap;
import java.util.List;
import java.util.function.Consumer;

/**
 * Kernels that the device takes only where an option says so, on a device that has it: the kernels' part does not see them. Their times
 * beside those of the benchmarks say whether the option is worth anything.
 *
 * @param option of the device, without which it is chosen
 * @param value of the option
 * @param registry that has the device
 * @param cases to compare
 * @param reference that computes what is right
 * @param times of larger work
 */
record OtherKernelsPart(
    String name, int limitSeconds, String option, String value, StrategyRegistry registry, Choice chosen, List<KernelCase> cases,
    Device reference, OtherTimes times)
    implements Part {
  /** The own products where there is a library: for those that it takes. */
  static OtherKernelsPart products(StrategyRegistry registry, Choice chosen, Device reference, List<KernelCase> cases, OtherTimes times) {
    return new OtherKernelsPart("own-products", 15, "gemm", "own", registry, chosen, cases, reference, times);
  }

  /** Attention by warps: a device takes the kernels for warpgroups where nothing is said. */
  static OtherKernelsPart attention(StrategyRegistry registry, Choice chosen, Device reference, List<KernelCase> cases, OtherTimes times) {
    return new OtherKernelsPart("warp-attention", 10, "attention", "warps", registry, chosen, cases, reference, times);
  }

  @Override
  public Finding run(Allowance allowance, Consumer<String> progress) {
    var options = new HashMap<>(chosen.options());
    options.put(option, value);
    try (Device other = registry.create(ComputeBackend.class, new Choice(chosen.name(), options), "device").open(0, new Unbooked())) {
      Finding compared = new KernelPart(cases, reference, other).run(allowance, progress);
      return new Finding(compared.summary(), compared.failures(), compared.details() + times.table(other, allowance), compared.isWhole());
    }
  }
}
