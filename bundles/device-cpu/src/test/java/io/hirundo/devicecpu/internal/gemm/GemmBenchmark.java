package io.hirundo.devicecpu.internal.gemm;

import io.hirundo.device.Queue;
import io.hirundo.devicecpu.internal.fixture.TestDevice;
import io.hirundo.devicecpu.internal.tensor.CpuTensor;
import io.hirundo.kernel.GemmKernels;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Tensor;

/**
 * Speed of the GEMMs of a small Llama (dim 288, ffn 768, vocabulary 4096, 2048 tokens), a line for each GEMM
 * of a layer's forward and backward and for the output layer. A figure is the best of many runs, so that other users of
 * the machine disturb it little. Arguments: workers (default: all cores), seconds for each GEMM (default 1), types
 * ({@code FP32}, the default, or {@code BF16} operands with an FP32 result). The command is in the bundle's README.
 */
public final class GemmBenchmark {
    @FunctionalInterface
    private interface Call {
        void run(GemmKernels gemm, Queue queue, Tensor a, Tensor b, Tensor c);
    }

    private static final int TOKENS = 2048;

    /** Runs before the figures, until the JIT compiler has done its work. */
    private static final int WARM_UPS = 20;

    /** Inputs and outputs of the linear layers: attention output, queries keys and values, gate and up, down, logits. */
    private static final int[][] LINEAR = {{288, 288}, {288, 864}, {288, 768}, {288, 1536}, {768, 288}, {288, 4096}};

    private final TestDevice device;
    private final long nanosPerGemm;
    private final DType dtype;

    private GemmBenchmark(TestDevice device, long nanosPerGemm, DType dtype) {
        this.device = device;
        this.nanosPerGemm = nanosPerGemm;
        this.dtype = dtype;
    }

    public static void main(String[] arguments) {
        int workers = arguments.length > 0 ? Integer.parseInt(arguments[0]) : 0;
        double seconds = arguments.length > 1 ? Double.parseDouble(arguments[1]) : 1;
        DType dtype = arguments.length > 2 ? DType.valueOf(arguments[2]) : DType.FP32;
        try (TestDevice device = new TestDevice(workers, "vector")) {
            new GemmBenchmark(device, (long) (seconds * 1e9), dtype).run();
        }
    }

    private void run() {
        System.out.printf("%-28s %10s %10s%n", "GEMM M x N x K", "best us", "GFLOP/s");
        for (int[] linear : LINEAR) {
            int in = linear[0];
            int out = linear[1];
            report(
                    "forward NT",
                    TOKENS,
                    out,
                    in,
                    tensor(TOKENS, in),
                    tensor(out, in),
                    (gemm, queue, a, b, c) -> gemm.multiplyNT(queue, a, b, c, false));
            report(
                    "input gradient NN",
                    TOKENS,
                    in,
                    out,
                    tensor(TOKENS, out),
                    tensor(out, in),
                    (gemm, queue, a, b, c) -> gemm.multiplyNN(queue, a, b, c, false));
            report(
                    "weight gradient TN",
                    out,
                    in,
                    TOKENS,
                    tensor(TOKENS, out),
                    tensor(TOKENS, in),
                    (gemm, queue, a, b, c) -> gemm.multiplyTN(queue, a, b, c, true));
        }
    }

    private CpuTensor tensor(long rows, long columns) {
        return device.tensor(dtype, i -> 1.0 / (1 + i % 7), rows, columns);
    }

    private void report(String name, int m, int n, int k, CpuTensor a, CpuTensor b, Call call) {
        CpuTensor c = device.tensor(DType.FP32, i -> 0, m, n);
        GemmKernels gemm = device.device.kernels().gemm();
        for (int i = 0; i < WARM_UPS; i++) {
            call.run(gemm, device.queue, a, b, c);
        }
        long best = Long.MAX_VALUE;
        long end = System.nanoTime() + nanosPerGemm;
        while (System.nanoTime() < end) {
            long start = System.nanoTime();
            call.run(gemm, device.queue, a, b, c);
            best = Math.min(best, System.nanoTime() - start);
        }
        System.out.printf("%-18s %s %10.0f %10.0f%n", name, m + "x" + n + "x" + k, best / 1e3, 2.0 * m * n * k / best);
        a.close();
        b.close();
        c.close();
    }
}
