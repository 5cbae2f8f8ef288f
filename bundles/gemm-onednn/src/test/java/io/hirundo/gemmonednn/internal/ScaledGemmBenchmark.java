package io.hirundo.gemmonednn.internal;

import io.hirundo.devicecpu.internal.CpuBackend;
import io.hirundo.devicecpu.internal.CpuOptions;
import io.hirundo.kernel.scaled.ScaleBlock;
import io.hirundo.kernel.scaled.ScaleRule;
import io.hirundo.kernel.scaled.ScaledMatrix;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Tensor;
import io.hirundo.testkit.bench.Bench;
import io.hirundo.testkit.device.ScaledGemmComparison;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.List;
import java.util.Locale;
import java.util.Random;

/**
 * GEMMs of FP8 matrices on one core by the Vector API, then by oneDNN, at sizes of {@code benchmarks/llama-a.yaml} and
 * {@code llama-b.yaml}: the best CPU time of 40 calls.
 */
final class ScaledGemmBenchmark {
    private static final int CALLS = 40;

    /** M, N, K. */
    private static final int[][] SIZES = {
        {2048, 864, 288}, {2048, 768, 288}, {2048, 288, 768}, {1536, 288, 2048}, {1024, 2816, 512}
    };

    private ScaledGemmBenchmark() {}

    public static void main(String[] arguments) {
        var library = new OneDnn(new NativeFiles(null));
        for (String gemm : List.of("vector", "onednn")) {
            try (Bench bench =
                    Bench.open(new CpuBackend(new CpuOptions(1, CpuOptions.VECTOR, gemm), List.of(library)))) {
                for (int[] size : SIZES) {
                    double nanos = best(bench, size[0], size[1], size[2]);
                    System.out.printf(
                            Locale.ROOT,
                            "RESULT: %s %d x %d x %d: %.1f ms, %.1f GFLOP/s%n",
                            gemm,
                            size[0],
                            size[1],
                            size[2],
                            nanos * 1e-6,
                            2.0 * size[0] * size[1] * size[2] / nanos);
                }
            }
        }
    }

    private static double best(Bench bench, int m, int n, int k) {
        var random = new Random(1);
        Tensor x = bench.tensor(DType.BF16, _ -> random.nextGaussian(), m, k);
        Tensor w = bench.tensor(DType.BF16, _ -> random.nextGaussian(), n, k);
        Tensor c = bench.tensor(DType.BF16, m, n);
        ScaledMatrix a =
                ScaledGemmComparison.quantized(bench, x, ScaleRule.POWER_OF_TWO, DType.FP8_E4M3, ScaleBlock.ROW);
        ScaledMatrix b =
                ScaledGemmComparison.quantized(bench, w, ScaleRule.POWER_OF_TWO, DType.FP8_E4M3, ScaleBlock.SQUARE);
        ThreadMXBean threads = ManagementFactory.getThreadMXBean();
        long best = Long.MAX_VALUE;
        for (int call = 0; call < CALLS; call++) {
            long began = threads.getCurrentThreadCpuTime();
            ScaledGemmComparison.multiply(bench, a, b, c, false);
            best = Math.min(best, threads.getCurrentThreadCpuTime() - began);
        }
        return best;
    }
}
