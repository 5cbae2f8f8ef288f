package io.hirundo.gpusuite.internal.kernels;

import io.hirundo.device.ComputeBackend;
import io.hirundo.device.Device;
import io.hirundo.gpusuite.internal.bench.AlternativeTimes;
import io.hirundo.gpusuite.internal.part.Part;
import io.hirundo.gpusuite.internal.part.TimeBudget;
import io.hirundo.gpusuite.internal.part.UnaccountedLedger;
import io.hirundo.strategy.Choice;
import io.hirundo.strategy.StrategyRegistry;
import java.util.HashMap;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * Kernels that the device takes only where an option says so, on a device that has it: the kernels' part does not see them. Their times
 * next to those of the benchmarks show whether the option is worth anything.
 *
 * @param device opens the device with the option
 * @param cases to compare
 * @param reference that computes what is right
 * @param times of larger work
 */
public record AlternativeKernelsPart(
    String name, int limitSeconds, Supplier<Device> device, List<KernelCase> cases, Device reference, AlternativeTimes times)
    implements Part {
  /** The own products where there is a library: for those that it takes. */
  public static AlternativeKernelsPart products(StrategyRegistry registry, Choice chosen, Device reference, List<KernelCase> cases, AlternativeTimes times) {
    return new AlternativeKernelsPart("own-products", 15, () -> open(registry, chosen, "gemm", "own"), cases, reference, times);
  }

  /** Attention by warps: a device takes the kernels for warpgroups where nothing is said. */
  public static AlternativeKernelsPart attention(StrategyRegistry registry, Choice chosen, Device reference, List<KernelCase> cases, AlternativeTimes times) {
    return new AlternativeKernelsPart("warp-attention", 10, () -> open(registry, chosen, "attention", "warps"), cases, reference, times);
  }

  private static Device open(StrategyRegistry registry, Choice chosen, String option, String value) {
    var options = new HashMap<>(chosen.options());
    options.put(option, value);
    return registry.create(ComputeBackend.class, new Choice(chosen.name(), options), "device").open(0, new UnaccountedLedger());
  }

  @Override
  public int longestPieceSeconds() {
    return KernelPart.LONGEST_CASE_SECONDS;
  }

  @Override
  public Finding run(TimeBudget allowance, Consumer<String> progress) {
    try (Device other = device.get()) {
      Finding compared = new KernelPart(cases, reference, other).run(allowance, progress);
      return new Finding(compared.summary(), compared.failures(), compared.details() + times.table(other, allowance), compared.isWhole());
    }
  }
}
