package io.hirundo.devicecpu.internal.attention;

import static io.hirundo.devicecpu.internal.attention.VectorAttentionTest.rejected;
import static io.hirundo.devicecpu.internal.fixture.TestDevice.values;
import static io.hirundo.tensor.DType.BF16;
import static io.hirundo.tensor.DType.FP32;
import static io.hirundo.tensor.DType.FP64;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;

import io.hirundo.devicecpu.internal.fixture.KernelParity;
import io.hirundo.devicecpu.internal.fixture.TestDevice;
import io.hirundo.devicecpu.internal.tensor.CpuTensor;
import io.hirundo.kernel.attention.AttentionKernels;
import io.hirundo.kernel.attention.AttentionShape;
import io.hirundo.kernel.attention.Heads;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Shape;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What attention to some keys has seen, put together with what it saw of others. */
final class AttentionMergeTest {
    /** Sequences, queries, heads, dim. */
    @ParameterizedTest
    @CsvSource({
        "1, 1, 1, 2, FP32",
        "2, 37, 3, 48, FP32",
        "3, 70, 2, 6, FP32",
        "1, 300, 4, 64, FP32",
        "0, 5, 1, 2, FP32",
        "2, 0, 1, 2, FP32",
        "2, 7, 3, 6, FP64",
        "2, 7, 3, 6, BF16",
        "1, 300, 4, 64, BF16",
    })
    void mergeIsAsTheReference(int sequences, int queries, int heads, int dim, DType dtype) {
        AttentionShape shape = new AttentionShape(sequences, queries, 0, new Heads(heads, 1, dim), 0);
        KernelParity.check(dtype == FP64 ? 0 : 1e-6, (on, kernels) -> {
            long tokens = (long) sequences * queries;
            long rows = tokens * heads;
            CpuTensor part = on.random(dtype, 1, tokens, (long) heads * dim);
            CpuTensor output = on.random(dtype, 2, tokens, (long) heads * dim);
            DType statistics = dtype == FP64 ? FP64 : FP32;
            // Nothing seen yet, nothing seen now, far more now, far less, and the like of it.
            CpuTensor partLogSumExp = on.tensor(statistics, i -> logSumExp(i * 5 + 1), rows);
            CpuTensor logSumExp = on.tensor(statistics, i -> logSumExp(i * 3 + 2), rows);
            kernels.attention().merge(on.queue, shape, part, partLogSumExp, output, logSumExp);
            return List.of(output, logSumExp);
        });
    }

    private static double logSumExp(long i) {
        return switch ((int) (i % 7)) {
            case 0 -> Double.NEGATIVE_INFINITY;
            case 1 -> 200;
            case 2 -> -200;
            default -> 3 * Math.sin(i);
        };
    }

    @ParameterizedTest
    @ValueSource(strings = {"vector", "reference"})
    void copiesTheFirstPart(String kernels) {
        try (TestDevice on = new TestDevice(1, kernels)) {
            AttentionShape shape = AttentionShape.causal(1, 2, new Heads(1, 1, 6));
            CpuTensor part = on.random(FP32, 1, 2, 6);
            CpuTensor output = on.tensor(FP32, i -> Double.NaN, 2, 6);
            CpuTensor logSumExp = on.tensor(FP32, i -> Double.NEGATIVE_INFINITY, 1, 1, 2);
            CpuTensor partLogSumExp = on.tensor(FP32, i -> i == 0 ? 1.5 : Double.NEGATIVE_INFINITY, 1, 1, 2);
            AttentionKernels attention = on.device.kernels().attention();
            attention.merge(on.queue, shape, part, partLogSumExp, output, logSumExp);
            assertArrayEquals(values(part), values(output));
            assertArrayEquals(values(partLogSumExp), values(logSumExp));
            // A part that saw nothing says nothing, whatever it holds.
            CpuTensor nothing = on.tensor(FP32, i -> Double.NaN, 1, 6);
            CpuTensor nothingSeen = on.tensor(FP32, i -> Double.NEGATIVE_INFINITY, 1);
            AttentionShape first = AttentionShape.causal(1, 1, shape.heads());
            attention.merge(on.queue, first, nothing, nothingSeen, output.rows(0, 1), logSumExp.view(0, Shape.of(1)));
            assertArrayEquals(values(part), values(output));
        }
    }

    @Test
    void nansPropagate() {
        KernelParity.check(0, (on, kernels) -> {
            AttentionShape shape = AttentionShape.causal(1, 2, new Heads(1, 1, 2));
            CpuTensor output = on.tensor(FP32, i -> 1, 2, 2);
            CpuTensor logSumExp = on.tensor(FP32, i -> i == 0 ? Double.NaN : 1, 2);
            CpuTensor partLogSumExp = on.tensor(FP32, i -> i == 1 ? Double.NaN : 1, 2);
            kernels.attention().merge(on.queue, shape, on.tensor(FP32, i -> 1, 2, 2), partLogSumExp, output, logSumExp);
            assertArrayEquals(new double[] {Double.NaN, Double.NaN, Double.NaN, Double.NaN}, values(output));
            return List.of(output, logSumExp);
        });
    }

    @ParameterizedTest
    @ValueSource(strings = {"vector", "reference"})
    void rejectsWrongOperandsByName(String kernels) {
        try (TestDevice on = new TestDevice(1, kernels)) {
            AttentionKernels attention = on.device.kernels().attention();
            AttentionShape shape = AttentionShape.causal(1, 5, new Heads(2, 1, 4));
            CpuTensor rows = on.random(FP32, 1, 5, 8);
            CpuTensor logs = on.random(FP32, 1, 10);
            rejected("partTHD", () -> attention.merge(on.queue, shape, on.random(FP32, 1, 4, 8), logs, rows, logs));
            rejected(
                    "partTHD is FP64",
                    () -> attention.merge(on.queue, shape, on.random(FP64, 1, 5, 8), logs, rows, logs));
            rejected(
                    "partLogSumExpBHS",
                    () -> attention.merge(on.queue, shape, rows, on.random(FP32, 1, 9), rows, logs));
            rejected("outputTHD", () -> attention.merge(on.queue, shape, rows, logs, on.random(FP32, 1, 8, 5), logs));
            rejected(
                    "logSumExpBHS is BF16",
                    () -> attention.merge(on.queue, shape, rows, logs, rows, on.random(BF16, 1, 10)));
            AttentionShape negative = new AttentionShape(1, -5, 5, shape.heads(), 0);
            rejected("negative", () -> attention.merge(on.queue, negative, rows, logs, rows, logs));
        }
    }
}
