package io.hirundo.gpusuite.internal.bench;

import io.hirundo.kernel.attention.AttentionShape;
import io.hirundo.kernel.attention.Heads;
import io.hirundo.kernel.attention.QueryKeyValue;
import io.hirundo.kernel.scaled.ScaleBlock;
import io.hirundo.kernel.scaled.ScaledMatrix;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Shape;
import io.hirundo.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;

/** The kernels of a decoder's training step. */
final class Benchmarks {
    private static final double EPSILON = 1e-5;

    /** Bytes of a BF16 number. */
    private static final double BF16 = 2;

    /**
     * Sizes of a model and its microbatch.
     *
     * @param tokens tokens of one sequence
     * @param hidden hidden channels
     * @param intermediate intermediate channels of the MLP
     */
    record Sizes(int tokens, int hidden, int intermediate, Heads heads) {
        static final Sizes DENSE_8B = new Sizes(8192, 4096, 14336, new Heads(32, 8, 128));
    }

    private Benchmarks() {}

    static List<Benchmark> of(Sizes sizes) {
        var all = new ArrayList<Benchmark>();
        int t = sizes.tokens;
        int c = sizes.hidden;
        int f = sizes.intermediate;
        all.add(copy((long) t * c));
        all.addAll(gemms(sizes));
        all.addAll(attention(sizes));
        // Last, because PyTorch compiles these kernels, which may take long.
        all.add(normForward(t, c));
        all.add(normBackward(t, c));
        all.add(swiglu(t, f));
        return all;
    }

    /** GEMMs of activations and weights, and of the weights' gradients, which are accumulated. */
    static List<Benchmark> gemms(Sizes sizes) {
        var all = new ArrayList<Benchmark>();
        int t = sizes.tokens;
        int c = sizes.hidden;
        int f = sizes.intermediate;
        int[][] gemms = {{t, (int) sizes.heads.fusedChannels(), c}, {t, c, c}, {t, 2 * f, c}, {t, c, f}};
        for (int[] mnk : gemms) {
            all.add(product(mnk[0], mnk[1], mnk[2]));
            all.add(scaledGemm(mnk[0], mnk[1], mnk[2]));
        }
        for (int[] mnk : gemms) {
            all.add(weightGradient(mnk[1], mnk[2], mnk[0]));
            all.add(scaledWeightGradient(mnk[1], mnk[2], mnk[0]));
        }
        return all;
    }

    private static Benchmark copy(long elements) {
        return Benchmark.moving("copy " + elements, 2 * BF16 * elements, operands -> {
            Tensor from = operands.random(DType.BF16, elements);
            Tensor to = operands.empty(DType.BF16, elements);
            return () -> operands.kernels().elementwise().copy(operands.queue(), from, to);
        });
    }

    private static Benchmark normForward(int tokens, int channels) {
        return Benchmark.moving("norm-forward " + tokens + " " + channels, 2 * BF16 * tokens * channels, operands -> {
            Tensor x = operands.random(DType.BF16, tokens, channels);
            Tensor weight = operands.random(DType.BF16, channels);
            Tensor y = operands.empty(DType.BF16, tokens, channels);
            Tensor inverseRms = operands.empty(DType.FP32, tokens);
            return () -> operands.kernels().norm().forward(operands.queue(), x, weight, EPSILON, y, inverseRms);
        });
    }

    /** Both gradients; dy and x are read, dx is written. */
    private static Benchmark normBackward(int tokens, int channels) {
        return Benchmark.moving("norm-backward " + tokens + " " + channels, 3 * BF16 * tokens * channels, operands -> {
            Tensor x = operands.random(DType.BF16, tokens, channels);
            Tensor dy = operands.random(DType.BF16, tokens, channels);
            Tensor weight = operands.random(DType.BF16, channels);
            Tensor inverseRms = operands.random(DType.FP32, tokens);
            Tensor dx = operands.empty(DType.BF16, tokens, channels);
            Tensor dWeight = operands.random(DType.BF16, channels);
            return () -> {
                operands.kernels().norm().backwardInput(operands.queue(), dy, x, weight, inverseRms, null, dx);
                operands.kernels().norm().backwardWeight(operands.queue(), dy, x, inverseRms, dWeight);
            };
        });
    }

    private static Benchmark swiglu(int tokens, int channels) {
        return Benchmark.moving("swiglu " + tokens + " " + channels, 3 * BF16 * tokens * channels, operands -> {
            Tensor gateUp = operands.random(DType.BF16, tokens, 2L * channels);
            Tensor y = operands.empty(DType.BF16, tokens, channels);
            return () -> operands.kernels().gatedMlp().forward(operands.queue(), gateUp, y);
        });
    }

    private static Benchmark product(int m, int n, int k) {
        return Benchmark.computing("bf16 " + m + " " + n + " " + k, 2.0 * m * n * k, operands -> {
            Tensor a = operands.random(DType.BF16, m, k);
            Tensor b = operands.random(DType.BF16, n, k);
            Tensor c = operands.empty(DType.BF16, m, n);
            return () -> operands.kernels().gemm().multiplyNT(operands.queue(), a, b, c, false);
        });
    }

    /** Activations in blocks of 1x128, weights in blocks of 128x128. */
    private static Benchmark scaledGemm(int m, int n, int k) {
        return Benchmark.computing("fp8 " + m + " " + n + " " + k, 2.0 * m * n * k, operands -> {
            ScaledMatrix a = scaled(operands, ScaleBlock.ROW, m, k);
            ScaledMatrix b = scaled(operands, ScaleBlock.SQUARE, n, k);
            Tensor c = operands.empty(DType.BF16, m, n);
            var kernels = operands.kernels().blockScaled().orElseThrow();
            return () -> kernels.multiplyNT(operands.queue(), a, b, c, false);
        });
    }

    /** {@code dW += dY^T X} in FP32, dY [K, M] and X [K, N] with a row for each token. */
    private static Benchmark weightGradient(int m, int n, int k) {
        return Benchmark.computing("bf16-weights " + m + " " + n + " " + k, 2.0 * m * n * k, operands -> {
            Tensor dY = operands.random(DType.BF16, k, m);
            Tensor x = operands.random(DType.BF16, k, n);
            Tensor dW = operands.filled(DType.FP32, 0, Shape.of(m, n));
            return () -> operands.kernels().gemm().multiplyTN(operands.queue(), dY, x, dW, true);
        });
    }

    /** The same of transposes in FP8, both with blocks of 1x128 along the tokens. */
    private static Benchmark scaledWeightGradient(int m, int n, int k) {
        return Benchmark.computing("fp8-weights " + m + " " + n + " " + k, 2.0 * m * n * k, operands -> {
            ScaledMatrix dY = scaled(operands, ScaleBlock.ROW, m, k);
            ScaledMatrix x = scaled(operands, ScaleBlock.ROW, n, k);
            Tensor dW = operands.filled(DType.FP32, 0, Shape.of(m, n));
            var kernels = operands.kernels().blockScaled().orElseThrow();
            return () -> kernels.multiplyNT(operands.queue(), dY, x, dW, true);
        });
    }

    private static ScaledMatrix scaled(BenchmarkTensors operands, ScaleBlock block, int rows, int columns) {
        Tensor codes = operands.random(DType.FP8_E4M3, rows, columns);
        return new ScaledMatrix(codes, operands.filled(DType.FP32, 1, block.scales(rows, columns)), block);
    }

    /** One sequence, forward and backward. */
    static List<Benchmark> attention(Sizes sizes) {
        var all = new ArrayList<Benchmark>();
        AttentionShape shape = AttentionShape.causal(1, sizes.tokens, sizes.heads);
        Heads heads = sizes.heads;
        String of = " " + heads.query() + " " + heads.keyValue() + " " + shape.queryTokens() + " " + heads.dim();
        // Two GEMMs of [S, D] and [D, S], half of which the causal mask skips.
        double forward = 2.0 * heads.query() * shape.queryTokens() * shape.queryTokens() * heads.dim();
        all.add(Benchmark.computing("attention-forward" + of, forward, operands -> {
            QueryKeyValue in = random(operands, shape);
            Tensor output = operands.empty(DType.BF16, shape.queryTokens(), heads.outputChannels());
            Tensor logSumExp = operands.empty(DType.FP32, 1, heads.query(), shape.queryTokens());
            return () -> operands.kernels().attention().forward(operands.queue(), shape, in, output, logSumExp);
        }));
        // Five GEMMs instead of two.
        all.add(Benchmark.computing("attention-backward" + of, 2.5 * forward, operands -> {
            QueryKeyValue in = random(operands, shape);
            QueryKeyValue gradient = random(operands, shape);
            Tensor dOutput = operands.random(DType.BF16, shape.queryTokens(), heads.outputChannels());
            Tensor output = operands.empty(DType.BF16, shape.queryTokens(), heads.outputChannels());
            Tensor logSumExp = operands.empty(DType.FP32, 1, heads.query(), shape.queryTokens());
            operands.kernels().attention().forward(operands.queue(), shape, in, output, logSumExp);
            return () -> operands.kernels()
                    .attention()
                    .backward(operands.queue(), shape, dOutput, in, output, logSumExp, gradient);
        }));
        return all;
    }

    private static QueryKeyValue random(BenchmarkTensors operands, AttentionShape shape) {
        Heads heads = shape.heads();
        return new QueryKeyValue(
                operands.random(DType.BF16, 1, heads.query(), shape.queryTokens(), heads.dim()),
                operands.random(DType.BF16, 1, heads.keyValue(), shape.keyTokens(), heads.dim()),
                operands.random(DType.BF16, 1, heads.keyValue(), shape.keyTokens(), heads.dim()));
    }
}
