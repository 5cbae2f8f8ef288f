package io.hirundo.devicecpu.internal;

import static io.hirundo.tensor.DType.BF16;
import static io.hirundo.tensor.DType.FP32;
import static io.hirundo.tensor.DType.FP64;
import static io.hirundo.tensor.DType.INT32;

import io.hirundo.device.Queue;
import io.hirundo.devicecpu.internal.fixture.TestDevice;
import io.hirundo.devicecpu.internal.tensor.CpuTensor;
import io.hirundo.kernel.Kernels;
import io.hirundo.kernel.attention.AttentionShape;
import io.hirundo.kernel.attention.Heads;
import io.hirundo.kernel.attention.QueryKeyValue;
import io.hirundo.kernel.optimizer.AdamWCoefficients;
import io.hirundo.tensor.DType;
import java.lang.management.ManagementFactory;
import java.util.Arrays;
import java.util.Locale;
import java.util.function.LongSupplier;

/**
 * Times the kernels at the sizes of a small Llama. Arguments: workers (0 for all cores), seconds per kernel, a part of
 * the names wanted, and FP32 or BF16, the type of activations. Prints the best and the median milliseconds of a call, and what the best is in
 * GFLOP/s or GB/s. With one worker it is CPU time, which other programs disturb less.
 */
public final class KernelBenchmark {
    private static final int WARM_UP_CALLS = 20;

    private final TestDevice device;
    private final Queue queue;
    private final Kernels kernels;
    private final double seconds;
    private final String wanted;
    private final DType dtype;
    private final LongSupplier nanos;

    private KernelBenchmark(TestDevice device, double seconds, String wanted, DType dtype, LongSupplier nanos) {
        this.device = device;
        this.queue = device.queue;
        this.kernels = device.device.kernels();
        this.seconds = seconds;
        this.wanted = wanted;
        this.dtype = dtype;
        this.nanos = nanos;
    }

    /** Runs the benchmark. */
    public static void main(String[] arguments) {
        int workers = arguments.length > 0 ? Integer.parseInt(arguments[0]) : 0;
        double seconds = arguments.length > 1 ? Double.parseDouble(arguments[1]) : 1;
        try (TestDevice device = new TestDevice(workers, "vector")) {
            DType dtype = arguments.length > 3 ? DType.valueOf(arguments[3]) : FP32;
            LongSupplier nanos =
                    workers == 1 ? ManagementFactory.getThreadMXBean()::getCurrentThreadCpuTime : System::nanoTime;
            KernelBenchmark benchmark =
                    new KernelBenchmark(device, seconds, arguments.length > 2 ? arguments[2] : "", dtype, nanos);
            benchmark.attention("A, 6 key heads", AttentionShape.causal(8, 256, new Heads(6, 6, 48)));
            benchmark.attention("A, 2 key heads", AttentionShape.causal(8, 256, new Heads(6, 2, 48)));
            benchmark.attention("B", AttentionShape.causal(2, 512, new Heads(8, 2, 64)));
            benchmark.attention("head 128", AttentionShape.causal(1, 1024, new Heads(4, 2, 128)));
            benchmark.rotary(2048, new Heads(6, 6, 48));
            benchmark.norm(2048, 288);
            benchmark.gatedMlp(2048, 768);
            benchmark.gatedMlp(1024, 1408);
            benchmark.embedding(2048, 288, 4096);
            benchmark.loss(2048, 4096);
            benchmark.loss(1024, 32_000);
            benchmark.splitLoss(2048, 16_000);
            benchmark.merge(AttentionShape.causal(4, 512, new Heads(8, 2, 64)));
            benchmark.optimizer(55_300_000);
            benchmark.elementwise(8_000_000);
        }
    }

    private void attention(String name, AttentionShape shape) {
        Heads heads = shape.heads();
        long queries = (long) shape.sequences() * shape.queryTokens();
        QueryKeyValue in = split(shape);
        QueryKeyValue gradient = split(shape);
        CpuTensor output = device.random(dtype, 1, queries, heads.outputChannels());
        CpuTensor dOutput = device.random(dtype, 2, queries, heads.outputChannels());
        CpuTensor logSumExp = device.random(FP32, 3, queries * heads.query());
        // Two GEMMs of S x S/2 x D forward, five backward.
        double flops = 2.0 * queries * shape.keyTokens() / 2 * heads.outputChannels();
        time(
                "attention forward " + name,
                2 * flops,
                "GFLOP/s",
                () -> kernels.attention().forward(queue, shape, in, output, logSumExp));
        time(
                "attention backward " + name,
                5 * flops,
                "GFLOP/s",
                () -> kernels.attention().backward(queue, shape, dOutput, in, output, logSumExp, gradient));
    }

    private void rotary(int tokens, Heads heads) {
        QueryKeyValue split = split(AttentionShape.causal(8, tokens / 8, heads));
        CpuTensor fused = device.random(dtype, 1, tokens, heads.fusedChannels());
        CpuTensor table = device.random(FP32, 1, tokens / 8, heads.dim() / 2);
        CpuTensor positions = device.tensor(INT32, i -> i % (tokens / 8), tokens);
        double bytes = 2.0 * dtype.byteSize() * fused.elements();
        time(
                "split and rotate",
                bytes,
                "GB/s",
                () -> kernels.attention().splitAndRotate(queue, heads, 8, fused, table, table, positions, split));
        time(
                "rotate back and join",
                bytes,
                "GB/s",
                () -> kernels.attention().rotateBackAndJoin(queue, heads, 8, split, table, table, positions, fused));
    }

    private void norm(int tokens, int channels) {
        CpuTensor x = device.random(dtype, 1, tokens, channels);
        CpuTensor dy = device.random(dtype, 2, tokens, channels);
        CpuTensor y = device.random(dtype, 3, tokens, channels);
        CpuTensor weight = device.random(FP32, 4, channels);
        CpuTensor r = device.random(FP32, 5, tokens);
        double bytes = (double) dtype.byteSize() * x.elements();
        time(
                "norm addForward",
                4 * bytes,
                "GB/s",
                () -> kernels.norm().addForward(queue, x, dy, weight, 1e-5, x, y, r));
        time(
                "norm backwardInput",
                4 * bytes,
                "GB/s",
                () -> kernels.norm().backwardInput(queue, dy, x, weight, r, y, y));
        time("norm backwardWeight", 2 * bytes, "GB/s", () -> kernels.norm().backwardWeight(queue, dy, x, r, weight));
    }

    private void gatedMlp(int tokens, int channels) {
        String name = " " + tokens + " x " + channels;
        CpuTensor gateUp = device.random(dtype, 1, tokens, 2L * channels);
        CpuTensor gradient = device.random(dtype, 1, tokens, 2L * channels);
        CpuTensor y = device.random(dtype, 2, tokens, channels);
        double bytes = (double) dtype.byteSize() * y.elements();
        time(
                "SwiGLU forward" + name,
                3 * bytes,
                "GB/s",
                () -> kernels.gatedMlp().forward(queue, gateUp, y));
        time(
                "SwiGLU backward" + name,
                5 * bytes,
                "GB/s",
                () -> kernels.gatedMlp().backward(queue, y, gateUp, gradient));
    }

    private void embedding(int tokens, int channels, int vocabulary) {
        CpuTensor ids = device.tensor(INT32, i -> i * 7919 % vocabulary, tokens);
        CpuTensor table = device.random(FP32, 1, vocabulary, channels);
        CpuTensor y = device.random(dtype, 2, tokens, channels);
        double bytes = (double) dtype.byteSize() * y.elements();
        time("embedding forward", 2 * bytes, "GB/s", () -> kernels.embedding().forward(queue, ids, 0, table, y));
        time("embedding backward", 3 * bytes, "GB/s", () -> kernels.embedding().backward(queue, y, ids, 0, table));
    }

    private void loss(int tokens, int vocabulary) {
        String name = "cross-entropy " + tokens + " x " + vocabulary;
        if (!name.contains(wanted)) {
            return;
        }
        try (CpuTensor logits = device.random(dtype, 1, tokens, vocabulary)) {
            CpuTensor labels = device.tensor(INT32, i -> i % vocabulary, tokens);
            CpuTensor weights = device.tensor(FP32, i -> 1, tokens);
            CpuTensor sum = device.tensor(FP64, i -> 0, 1);
            time(
                    name,
                    2.0 * dtype.byteSize() * logits.elements(),
                    "GB/s",
                    () -> kernels.loss().crossEntropyWithGradient(queue, logits, labels, weights, 1.0 / tokens, sum));
        }
    }

    private void splitLoss(int tokens, int vocabulary) {
        String name = " of split cross-entropy " + tokens + " x " + vocabulary;
        if (!("maximum sums gradient" + name).contains(wanted)) {
            return;
        }
        try (CpuTensor logits = device.random(dtype, 1, tokens, vocabulary)) {
            CpuTensor labels = device.tensor(INT32, i -> i % vocabulary, tokens);
            CpuTensor weights = device.tensor(FP32, i -> 1, tokens);
            CpuTensor maximum = device.tensor(FP32, i -> 3, tokens);
            CpuTensor sums = device.tensor(FP32, i -> 1, 2, tokens);
            CpuTensor lossSum = device.tensor(FP64, i -> 0, 1);
            double bytes = (double) dtype.byteSize() * logits.elements();
            time("maximum" + name, bytes, "GB/s", () -> kernels.loss().maximum(queue, logits, maximum));
            time(
                    "sums" + name,
                    bytes,
                    "GB/s",
                    () -> kernels.loss().partialSums(queue, logits, labels, 0, maximum, sums));
            time("loss" + name, 12.0 * tokens, "GB/s", () -> kernels.loss().lossOfSums(queue, sums, weights, lossSum));
            time(
                    "gradient" + name,
                    2 * bytes,
                    "GB/s",
                    () -> kernels.loss()
                            .gradientOfSums(queue, logits, labels, 0, maximum, sums, weights, 1.0 / tokens));
        }
    }

    private void merge(AttentionShape shape) {
        long rows = (long) shape.sequences() * shape.queryTokens();
        CpuTensor part = device.random(dtype, 1, rows, shape.heads().outputChannels());
        CpuTensor output = device.random(dtype, 2, rows, shape.heads().outputChannels());
        CpuTensor partLogSumExp = device.random(FP32, 3, rows * shape.heads().query());
        CpuTensor logSumExp = device.random(FP32, 4, rows * shape.heads().query());
        time(
                "attention merge",
                3.0 * dtype.byteSize() * output.elements(),
                "GB/s",
                () -> kernels.attention().merge(queue, shape, part, partLogSumExp, output, logSumExp));
    }

    private void optimizer(int elements) {
        if (!"AdamW sum of squares".contains(wanted)) {
            return;
        }
        try (CpuTensor gradient = device.tensor(FP32, i -> 1e-3, elements);
                CpuTensor parameter = device.tensor(FP32, i -> 1, elements);
                CpuTensor first = device.tensor(FP32, i -> 0, elements);
                CpuTensor second = device.tensor(FP32, i -> 0, elements)) {
            CpuTensor sum = device.tensor(FP64, i -> 1, 1);
            AdamWCoefficients step = new AdamWCoefficients(1e-4, 0.9, 0.95, 1e-8, 0.1, 10);
            time(
                    "AdamW",
                    28.0 * elements,
                    "GB/s",
                    () -> kernels.optimizer().adamW(queue, step, sum, gradient, parameter, first, second));
            time(
                    "sum of squares",
                    4.0 * elements,
                    "GB/s",
                    () -> kernels.optimizer().addSumOfSquares(queue, gradient, sum));
        }
    }

    private void elementwise(int elements) {
        CpuTensor x = device.tensor(dtype, i -> 1, elements);
        CpuTensor y = device.tensor(dtype, i -> 0, elements);
        CpuTensor wide = device.tensor(FP32, i -> 1, elements);
        CpuTensor half = device.tensor(BF16, i -> 0, elements);
        time(
                "fill with zeros",
                1.0 * dtype.byteSize() * elements,
                "GB/s",
                () -> kernels.elementwise().fill(queue, y, 0));
        time(
                "add",
                3.0 * dtype.byteSize() * elements,
                "GB/s",
                () -> kernels.elementwise().add(queue, x, y));
        time(
                "maximum",
                3.0 * dtype.byteSize() * elements,
                "GB/s",
                () -> kernels.elementwise().maximum(queue, x, y));
        time(
                "copy FP32 to BF16",
                6.0 * elements,
                "GB/s",
                () -> kernels.elementwise().copy(queue, wide, half));
    }

    private QueryKeyValue split(AttentionShape shape) {
        Heads heads = shape.heads();
        return new QueryKeyValue(
                device.random(dtype, 1, shape.sequences(), heads.query(), shape.queryTokens(), heads.dim()),
                device.random(dtype, 2, shape.sequences(), heads.keyValue(), shape.keyTokens(), heads.dim()),
                device.random(dtype, 3, shape.sequences(), heads.keyValue(), shape.keyTokens(), heads.dim()));
    }

    private void time(String name, double work, String unit, Runnable call) {
        if (!name.contains(wanted)) {
            return;
        }
        for (int i = 0; i < WARM_UP_CALLS; i++) {
            call.run();
        }
        long[] times = new long[10_000];
        int calls = 0;
        long end = System.nanoTime() + (long) (seconds * 1e9);
        while (calls < times.length && (calls < 5 || System.nanoTime() < end)) {
            long start = nanos.getAsLong();
            call.run();
            times[calls++] = nanos.getAsLong() - start;
        }
        Arrays.sort(times, 0, calls);
        System.out.printf(
                Locale.ROOT,
                "%-36s best %8.3f ms  median %8.3f ms  %8.1f %s%n",
                name,
                times[0] / 1e6,
                times[calls / 2] / 1e6,
                work / times[0],
                unit);
    }
}
