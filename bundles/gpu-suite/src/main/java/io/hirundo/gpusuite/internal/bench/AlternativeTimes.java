package io.hirundo.gpusuite.internal.bench;

import io.hirundo.device.Device;
import io.hirundo.gpusuite.internal.part.TimeBudget;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;

/**
 * Times of kernels that a device does not choose by default, for comparison with {@link BenchmarkPart}.
 *
 * @param what description of the rows
 * @param timing how the kernels are timed
 */
public record AlternativeTimes(String what, List<Benchmark> benchmarks, Timing timing) {
    /** The own GEMM kernels at Llama 8B's sizes. */
    public static AlternativeTimes ofGemms() {
        return new AlternativeTimes("Own kernel, M, N, K", Benchmarks.gemms(Benchmarks.Sizes.DENSE_8B), Timing.USUAL);
    }

    /** Attention by warps. */
    public static AlternativeTimes ofAttention() {
        return new AlternativeTimes(
                "By warps, heads, key heads, tokens, channels",
                Benchmarks.attention(Benchmarks.Sizes.DENSE_8B),
                Timing.USUAL);
    }

    /** What variants of kernels are for: attention and BF16 GEMMs. */
    public static AlternativeTimes ofVariants() {
        Stream<Benchmark> gemms = Benchmarks.gemms(Benchmarks.Sizes.DENSE_8B).stream()
                .filter(one -> one.request().startsWith("bf16"));
        return new AlternativeTimes(
                "Variant",
                Stream.concat(Benchmarks.attention(Benchmarks.Sizes.DENSE_8B).stream(), gemms)
                        .toList(),
                Timing.USUAL);
    }

    /**
     * Times the kernels until the time is over.
     *
     * @param other a device that uses these kernels
     * @return a Markdown table, which also names what was not timed
     */
    public String table(Device other, TimeBudget allowance) {
        var rows = new StringBuilder("| " + what + " | ms | TFLOP/s |\n|---|---|---|\n");
        for (Benchmark benchmark : benchmarks) {
            if (allowance.isOver()) {
                return rows.append("| ")
                        .append(benchmark.request())
                        .append(" and what follows | | not run for want of time |\n")
                        .toString();
            }
            allowance.begins(benchmark.request());
            try (var operands = new BenchmarkTensors(other)) {
                double seconds =
                        timing.seconds(operands.queue(), benchmark.body().turn(operands));
                rows.append(String.format(
                        Locale.ROOT,
                        "| %s | %.4f | %.2f |%n",
                        benchmark.request(),
                        seconds * 1e3,
                        benchmark.flops() / seconds / 1e12));
            }
        }
        return rows.toString();
    }
}
