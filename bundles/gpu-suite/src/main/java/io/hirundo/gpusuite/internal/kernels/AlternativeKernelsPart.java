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
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * Tests kernels that the device uses only with an option, which {@link KernelPart} does not test, on a device with that option. Their times
 * next to the benchmarks show the benefit of the option.
 *
 * @param device opens the device with the option
 * @param cases cases to compare
 * @param reference device with correct results
 * @param times measures larger work
 */
public record AlternativeKernelsPart(
        String name,
        int limitSeconds,
        Supplier<Device> device,
        List<KernelCase> cases,
        Device reference,
        AlternativeTimes times)
        implements Part {
    /** The own GEMM kernels, for GEMMs that cuBLASLt computes by default. */
    public static AlternativeKernelsPart gemms(
            StrategyRegistry registry,
            Choice chosen,
            Device reference,
            List<KernelCase> cases,
            AlternativeTimes times) {
        return new AlternativeKernelsPart(
                "own-products", 15, () -> open(registry, chosen, Map.of("gemm", "own")), cases, reference, times);
    }

    /** Attention by warps; by default a device uses the warpgroup kernels. */
    public static AlternativeKernelsPart attention(
            StrategyRegistry registry,
            Choice chosen,
            Device reference,
            List<KernelCase> cases,
            AlternativeTimes times) {
        return new AlternativeKernelsPart(
                "warp-attention",
                10,
                () -> open(registry, chosen, Map.of("attention", "warps")),
                cases,
                reference,
                times);
    }

    /** Kernels that may be faster than the default ones, which nobody has timed yet. */
    public static AlternativeKernelsPart variants(
            StrategyRegistry registry,
            Choice chosen,
            Device reference,
            List<KernelCase> cases,
            AlternativeTimes times) {
        Map<String, Object> all =
                Map.of("gemm", "own", "persistentAttention", true, "doubleBufferedDq", true, "wideGemm", true);
        return new AlternativeKernelsPart("variants", 45, () -> open(registry, chosen, all), cases, reference, times);
    }

    private static Device open(StrategyRegistry registry, Choice chosen, Map<String, Object> further) {
        var options = new HashMap<>(chosen.options());
        options.putAll(further);
        return registry.create(ComputeBackend.class, new Choice(chosen.name(), options), "device")
                .open(0, new UnaccountedLedger());
    }

    @Override
    public int longestPieceSeconds() {
        return KernelPart.LONGEST_CASE_SECONDS;
    }

    @Override
    public Finding run(TimeBudget allowance, Consumer<String> progress) {
        try (Device other = device.get()) {
            Finding compared = new KernelPart(cases, reference, other).run(allowance, progress);
            return new Finding(
                    compared.summary(),
                    compared.failures(),
                    compared.details() + times.table(other, allowance),
                    compared.isWhole());
        }
    }
}
