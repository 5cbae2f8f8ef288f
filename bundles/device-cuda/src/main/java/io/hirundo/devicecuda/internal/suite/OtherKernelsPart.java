package io.hirundo.devicecuda.internal.suite;

import io.hirundo.device.ComputeBackend;
import io.hirundo.device.Device;
import io.hirundo.devicecuda.internal.suite.bench.OtherTimes;
import io.hirundo.strategy.Choice;
import io.hirundo.strategy.StrategyRegistry;
import java.util.HashMap;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * Kernels that the device takes only where an option says so, on a device that has it: the kernels' part does not see them. Their times
 * beside those of the benchmarks say whether the option is worth anything.
 *
 * @param device opens the device with the option
 * @param cases to compare
 * @param reference that computes what is right
 * @param times of larger work
 */
record OtherKernelsPart(
    String name, int limitSeconds, Supplier<Device> device, List<KernelCase> cases, Device reference, OtherTimes times)
    implements Part {
  /** The own products where there is a library: for those that it takes. */
  static OtherKernelsPart products(StrategyRegistry registry, Choice chosen, Device reference, List<KernelCase> cases, OtherTimes times) {
    return new OtherKernelsPart("own-products", 15, () -> open(registry, chosen, "gemm", "own"), cases, reference, times);
  }

  /** Attention by warps: a device takes the kernels for warpgroups where nothing is said. */
  static OtherKernelsPart attention(StrategyRegistry registry, Choice chosen, Device reference, List<KernelCase> cases, OtherTimes times) {
    return new OtherKernelsPart("warp-attention", 10, () -> open(registry, chosen, "attention", "warps"), cases, reference, times);
  }

  private static Device open(StrategyRegistry registry, Choice chosen, String option, String value) {
    var options = new HashMap<>(chosen.options());
    options.put(option, value);
    return registry.create(ComputeBackend.class, new Choice(chosen.name(), options), "device").open(0, new Unbooked());
  }

  @Override
  public int longestPieceSeconds() {
    return KernelPart.LONGEST_CASE_SECONDS;
  }

  @Override
  public Finding run(Allowance allowance, Consumer<String> progress) {
    try (Device other = device.get()) {
      Finding compared = new KernelPart(cases, reference, other).run(allowance, progress);
      return new Finding(compared.summary(), compared.failures(), compared.details() + times.table(other, allowance), compared.isWhole());
    }
  }
}
