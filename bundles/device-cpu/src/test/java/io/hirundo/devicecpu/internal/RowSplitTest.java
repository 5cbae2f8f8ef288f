package io.hirundo.devicecpu.internal;

import static io.hirundo.devicecpu.internal.fixture.TestDevice.values;
import static io.hirundo.tensor.DType.FP32;
import static io.hirundo.tensor.DType.FP64;
import static io.hirundo.tensor.DType.INT32;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;

import io.hirundo.device.Queue;
import io.hirundo.devicecpu.internal.fixture.TestDevice;
import io.hirundo.devicecpu.internal.tensor.CpuTensor;
import io.hirundo.kernel.Kernels;
import io.hirundo.kernel.attention.Heads;
import io.hirundo.kernel.attention.QueryKeyValue;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Tensor;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * What overlap of communication with computation relies on: rows of a result that are computed separately, from views of
 * the operands, are bitwise those of one call for all. Weight gradients are no such rows: they are sums over tokens,
 * and a sum in pieces rounds differently.
 */
final class RowSplitTest {
    /** Ends of pieces, of all sizes around those that kernels treat alike. */
    private static final int[][] SPLITS = {
        {1}, {2, 3}, {1, 6, 12, 13}, {8, 16, 24}, {47, 48, 95, 96}, {64, 128}, {65, 66, 129}
    };

    /** Work on rows {@code [first, first + count)}. */
    @FunctionalInterface
    private interface Rows {
        void compute(int first, int count);
    }

    /** A kernel with its operands. */
    @FunctionalInterface
    private interface Case {
        /** Adds to {@code results} what the rows are written to; it may be read as well. */
        Rows prepare(TestDevice on, List<CpuTensor> results);
    }

    private static void check(String kernels, int rows, Case of) {
        try (TestDevice on = new TestDevice(2, kernels)) {
            List<CpuTensor> results = new ArrayList<>();
            Rows work = of.prepare(on, results);
            List<CpuTensor> before =
                    results.stream().map(result -> copy(on, result)).toList();
            work.compute(0, rows);
            List<CpuTensor> whole =
                    results.stream().map(result -> copy(on, result)).toList();
            for (int[] ends : SPLITS) {
                for (int i = 0; i < results.size(); i++) {
                    on.device.kernels().elementwise().copy(on.queue, before.get(i), results.get(i));
                }
                int first = 0;
                for (int end : ends) {
                    int last = Math.min(end, rows);
                    work.compute(first, last - first);
                    first = last;
                }
                work.compute(first, rows - first);
                for (int i = 0; i < results.size(); i++) {
                    String name = "result " + i + " in pieces that end at " + Arrays.toString(ends);
                    assertArrayEquals(values(whole.get(i)), values(results.get(i)), name);
                }
            }
        }
    }

    private static CpuTensor copy(TestDevice on, CpuTensor tensor) {
        CpuTensor copy = none(on, tensor.dtype(), tensor.elements());
        on.device.kernels().elementwise().copy(on.queue, tensor, copy);
        return copy;
    }

    /** Kernels, types of a, b and c, M, N, K: small and large, more than a block of k, more than the memory for packed b. */
    @ParameterizedTest
    @CsvSource({
        "vector, FP32, FP32, FP32, 5, 3, 7",
        "vector, FP32, FP32, FP32, 130, 77, 700",
        "vector, FP32, FP32, FP32, 131, 129, 2100",
        "vector, FP32, FP32, FP32, 14, 530, 9001",
        "vector, BF16, BF16, FP32, 131, 65, 1100",
        "vector, BF16, FP32, BF16, 131, 65, 1100",
        "vector, FP64, FP64, FP64, 13, 5, 17",
        "reference, FP32, BF16, FP32, 13, 5, 17",
    })
    void gemms(String kernels, DType aType, DType bType, DType cType, int m, int n, int k) {
        for (boolean accumulate : new boolean[] {false, true}) {
            check(kernels, m, (on, results) -> {
                CpuTensor a = noise(on, aType, 1, m, k);
                CpuTensor b = noise(on, bType, 2, n, k);
                CpuTensor c = noise(on, cType, 3, m, n);
                results.add(c);
                return (first, count) -> on.device
                        .kernels()
                        .gemm()
                        .multiplyNT(on.queue, a.rows(first, count), b, c.rows(first, count), accumulate);
            });
            check(kernels, m, (on, results) -> {
                CpuTensor a = noise(on, aType, 1, m, k);
                CpuTensor b = noise(on, bType, 2, k, n);
                CpuTensor c = noise(on, cType, 3, m, n);
                results.add(c);
                return (first, count) -> on.device
                        .kernels()
                        .gemm()
                        .multiplyNN(on.queue, a.rows(first, count), b, c.rows(first, count), accumulate);
            });
            // Rows of this result are columns of a, of which there are no views: some weight's gradient on its own.
            check(kernels, m, (on, results) -> {
                CpuTensor a = noise(on, aType, 1, k, m);
                CpuTensor b = noise(on, bType, 2, k, n);
                CpuTensor c = noise(on, cType, 3, m, n);
                results.add(c);
                return (first, count) -> {
                    try (CpuTensor columns =
                            on.tensor(aType, i -> a.getDouble(i / count * m + first + i % count), k, count)) {
                        on.device.kernels().gemm().multiplyTN(on.queue, columns, b, c.rows(first, count), accumulate);
                    }
                };
            });
        }
    }

    @ParameterizedTest
    @CsvSource({
        "vector, 131, 45, FP32",
        "vector, 131, 2048, FP32",
        "vector, 13, 5, BF16",
        "vector, 67, 96, BF16",
        "vector, 13, 5, FP64",
        "reference, 13, 5, FP32"
    })
    void norm(String kernels, int tokens, int channels, DType dtype) {
        DType statistics = dtype == FP64 ? FP64 : FP32;
        check(kernels, tokens, (on, results) -> {
            CpuTensor x = on.random(dtype, 1, tokens, channels);
            CpuTensor delta = on.random(dtype, 2, tokens, channels);
            CpuTensor w = on.random(dtype, 3, channels);
            CpuTensor dy = on.random(dtype, 4, tokens, channels);
            CpuTensor y = none(on, dtype, tokens, channels);
            CpuTensor ySum = none(on, dtype, tokens, channels);
            CpuTensor again = none(on, dtype, tokens, channels);
            CpuTensor dx = none(on, dtype, tokens, channels);
            CpuTensor r = none(on, statistics, tokens);
            CpuTensor rSum = none(on, statistics, tokens);
            results.addAll(List.of(y, r, delta, ySum, rSum, again, dx, dy));
            return (first, count) -> {
                var norm = on.device.kernels().norm();
                Queue queue = on.queue;
                Tensor part = delta.rows(first, count);
                norm.forward(queue, x.rows(first, count), w, 1e-5, y.rows(first, count), r.rows(first, count));
                norm.addForward(
                        queue,
                        x.rows(first, count),
                        part,
                        w,
                        1e-5,
                        part,
                        ySum.rows(first, count),
                        rSum.rows(first, count));
                norm.reapply(queue, part, w, rSum.rows(first, count), again.rows(first, count));
                Tensor dyPart = dy.rows(first, count);
                norm.backwardInput(queue, dyPart, part, w, rSum.rows(first, count), null, dx.rows(first, count));
                norm.backwardInput(
                        queue, dyPart, part, w, rSum.rows(first, count), dx.rows(first, count), dx.rows(first, count));
            };
        });
    }

    @ParameterizedTest
    @CsvSource({
        "vector, 131, 37, FP32",
        "vector, 67, 1408, FP32",
        "vector, 13, 5, BF16",
        "vector, 67, 70, BF16",
        "vector, 13, 5, FP64",
        "reference, 13, 5, FP32"
    })
    void gatedMlp(String kernels, int tokens, int channels, DType dtype) {
        check(kernels, tokens, (on, results) -> {
            CpuTensor gateUp = on.random(dtype, 1, tokens, 2L * channels);
            CpuTensor dy = on.random(dtype, 2, tokens, channels);
            CpuTensor y = none(on, dtype, tokens, channels);
            results.addAll(List.of(y, gateUp));
            return (first, count) -> {
                Tensor part = gateUp.rows(first, count);
                on.device.kernels().gatedMlp().forward(on.queue, part, y.rows(first, count));
                on.device.kernels().gatedMlp().backward(on.queue, dy.rows(first, count), part, part);
            };
        });
    }

    @ParameterizedTest
    @CsvSource({
        "vector, 131, 45, FP32",
        "vector, 70, 1003, FP32",
        "vector, 13, 5, BF16",
        "vector, 13, 5, FP64",
        "reference, 13, 5, FP32"
    })
    void lossOfASplitVocabulary(String kernels, int tokens, int vocabulary, DType dtype) {
        DType statistics = dtype == FP64 ? FP64 : FP32;
        check(kernels, tokens, (on, results) -> {
            CpuTensor logits = on.random(dtype, 1, tokens, vocabulary);
            CpuTensor labels = on.tensor(INT32, i -> i * 7 % (2 * vocabulary), tokens);
            CpuTensor weights = on.tensor(FP32, i -> i % 3, tokens);
            CpuTensor maximum = none(on, statistics, tokens);
            CpuTensor sumsT2 = none(on, statistics, tokens, 2);
            results.addAll(List.of(logits, maximum, sumsT2));
            return (first, count) -> {
                var loss = on.device.kernels().loss();
                Tensor part = logits.rows(first, count);
                Tensor ids = labels.rows(first, count);
                try (CpuTensor sums = none(on, statistics, 2, count)) {
                    loss.maximum(on.queue, part, maximum.rows(first, count));
                    loss.partialSums(on.queue, part, ids, 4, maximum.rows(first, count), sums);
                    loss.gradientOfSums(
                            on.queue, part, ids, 4, maximum.rows(first, count), sums, weights.rows(first, count), 0.5);
                    for (int i = 0; i < count; i++) {
                        sumsT2.setDouble(2L * (first + i), sums.getDouble(i));
                        sumsT2.setDouble(2L * (first + i) + 1, sums.getDouble(count + i));
                    }
                }
            };
        });
    }

    @ParameterizedTest
    @ValueSource(strings = {"vector", "reference"})
    void embeddingAndRotation(String kernels) {
        Heads heads = new Heads(3, 1, 10);
        check(kernels, 131, (on, results) -> {
            CpuTensor ids = on.tensor(INT32, i -> i * i % 23, 131);
            CpuTensor table = on.random(FP32, 1, 11, 50);
            CpuTensor rotations = on.random(FP32, 2, 7, 5);
            CpuTensor positions = on.tensor(INT32, i -> i % 7, 131);
            CpuTensor fused = none(on, FP32, 131, 50);
            CpuTensor back = none(on, FP32, 131, 50);
            // One token for each sequence: rows of heads are then rows of tokens.
            CpuTensor query = none(on, FP32, 131, 3, 1, 10);
            CpuTensor key = none(on, FP32, 131, 1, 1, 10);
            CpuTensor value = none(on, FP32, 131, 1, 1, 10);
            results.addAll(List.of(fused, query, key, value, back));
            return (first, count) -> {
                Kernels all = on.device.kernels();
                Tensor row = positions.rows(first, count);
                all.embedding().forward(on.queue, ids.rows(first, count), 5, table, fused.rows(first, count));
                QueryKeyValue split =
                        new QueryKeyValue(query.rows(first, count), key.rows(first, count), value.rows(first, count));
                all.attention()
                        .splitAndRotate(
                                on.queue, heads, count, fused.rows(first, count), rotations, rotations, row, split);
                all.attention()
                        .rotateBackAndJoin(
                                on.queue, heads, count, split, rotations, rotations, row, back.rows(first, count));
            };
        });
    }

    /** Values in [-1, 1), cheap to make. */
    private static CpuTensor noise(TestDevice on, DType dtype, long seed, long... dims) {
        SplittableRandom random = new SplittableRandom(seed);
        return on.tensor(dtype, i -> random.nextInt() * 0x1p-31, dims);
    }

    private static CpuTensor none(TestDevice on, DType dtype, long... dims) {
        return on.tensor(dtype, i -> Double.NaN, dims);
    }
}
