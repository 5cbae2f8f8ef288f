package io.hirundo.devicecpu.internal;

import static io.hirundo.devicecpu.internal.fixture.FiniteDifferences.check;
import static io.hirundo.devicecpu.internal.fixture.FiniteDifferences.dot;
import static io.hirundo.devicecpu.internal.fixture.TestDevice.values;
import static io.hirundo.tensor.DType.FP32;
import static io.hirundo.tensor.DType.FP64;
import static io.hirundo.tensor.DType.INT32;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.device.Queue;
import io.hirundo.devicecpu.internal.attention.ReferenceAttention;
import io.hirundo.devicecpu.internal.embedding.ReferenceEmbedding;
import io.hirundo.devicecpu.internal.fixture.FiniteDifferences;
import io.hirundo.devicecpu.internal.fixture.TestDevice;
import io.hirundo.devicecpu.internal.loss.ReferenceLoss;
import io.hirundo.devicecpu.internal.mlp.ReferenceGatedMlp;
import io.hirundo.devicecpu.internal.norm.ReferenceNorm;
import io.hirundo.devicecpu.internal.optimizer.ReferenceOptimizer;
import io.hirundo.devicecpu.internal.tensor.CpuTensor;
import io.hirundo.kernel.GateActivation;
import io.hirundo.kernel.attention.AttentionShape;
import io.hirundo.kernel.attention.Heads;
import io.hirundo.kernel.attention.QueryKeyValue;
import java.util.Arrays;
import java.util.function.DoubleSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Every backward reference against central differences of its forward, in FP64. */
final class ReferenceGradientsTest {
    private final TestDevice device = new TestDevice(1, "reference");
    private final Queue queue = device.queue;

    @AfterEach
    void close() {
        device.close();
    }

    @Test
    void norm() {
        ReferenceNorm norm = new ReferenceNorm();
        CpuTensor x = device.random(FP64, 1, 3, 7);
        CpuTensor weight = device.random(FP64, 2, 7);
        CpuTensor dy = device.random(FP64, 3, 3, 7);
        CpuTensor residual = device.random(FP64, 4, 3, 7);
        CpuTensor y = device.tensor(FP64, i -> Double.NaN, 3, 7);
        CpuTensor r = device.tensor(FP64, i -> Double.NaN, 3);
        DoubleSupplier loss = () -> {
            norm.forward(queue, x, weight, 1e-3, y, r);
            return dot(y, dy) + dot(x, residual);
        };
        assertTrue(Double.isFinite(loss.getAsDouble()));
        CpuTensor dx = device.tensor(FP64, i -> residual.getDouble(i), 3, 7);
        norm.backwardInput(queue, dy, x, weight, r, dx, dx);
        CpuTensor dw = device.tensor(FP64, i -> 10, 7);
        norm.backwardWeight(queue, dy, x, r, dw);
        check("dx", x, values(dx), loss);
        check("dw", weight, Arrays.stream(values(dw)).map(v -> v - 10).toArray(), loss);
    }

    @ParameterizedTest
    @EnumSource
    void gatedMlp(GateActivation activation) {
        ReferenceGatedMlp mlp = new ReferenceGatedMlp();
        CpuTensor gateUp = device.random(FP64, 1, 3, 10);
        CpuTensor dy = device.random(FP64, 2, 3, 5);
        CpuTensor y = device.tensor(FP64, i -> Double.NaN, 3, 5);
        CpuTensor gradient = device.tensor(FP64, gateUp::getDouble, 3, 10);
        mlp.backward(queue, activation, dy, gradient, gradient);
        check("dGateUp", gateUp, values(gradient), () -> {
            mlp.forward(queue, activation, gateUp, y);
            return dot(y, dy);
        });
    }

    @Test
    void embedding() {
        ReferenceEmbedding embedding = new ReferenceEmbedding();
        int[] ids = {5, 9, 5, 4, 8, 5};
        CpuTensor tokens = device.tensor(INT32, i -> ids[(int) i], 6);
        CpuTensor table = device.random(FP64, 1, 4, 3);
        CpuTensor dy = device.random(FP64, 2, 6, 3);
        CpuTensor y = device.tensor(FP64, i -> Double.NaN, 6, 3);
        CpuTensor gradient = device.tensor(FP64, i -> 0, 4, 3);
        embedding.backward(queue, dy, tokens, 5, gradient);
        check("dTable", table, values(gradient), () -> {
            embedding.forward(queue, tokens, 5, table, y);
            return dot(y, dy);
        });
        assertEquals(0, y.getDouble(3), "token 9 is behind the table, 4 in front of it");
        assertEquals(0, y.getDouble(9));
        assertEquals(table.getDouble(9), y.getDouble(12), "token 8 is the last row");
    }

    @Test
    void loss() {
        ReferenceLoss loss = new ReferenceLoss();
        CpuTensor logits = device.random(FP64, 1, 4, 5);
        int[] ids = {4, 0, 2, 2};
        double[] mask = {1, 0.5, 0, 2};
        CpuTensor labels = device.tensor(INT32, i -> ids[(int) i], 4);
        CpuTensor weights = device.tensor(FP32, i -> mask[(int) i], 4);
        CpuTensor sum = device.tensor(FP64, i -> 3, 1);
        CpuTensor gradient = device.tensor(FP64, logits::getDouble, 4, 5);
        loss.crossEntropyWithGradient(queue, gradient, labels, weights, 0.25, sum);
        double fused = sum.getDouble(0);
        check("dLogits", logits, values(gradient), () -> {
            sum.setDouble(0, 3);
            loss.crossEntropy(queue, logits, labels, weights, sum);
            return sum.getDouble(0) / 4;
        });
        sum.setDouble(0, 3);
        loss.crossEntropy(queue, logits, labels, weights, sum);
        assertEquals(fused, sum.getDouble(0));
    }

    @Test
    void rotary() {
        Heads heads = new Heads(4, 2, 6);
        CpuTensor fused = device.random(FP64, 1, 6, heads.fusedChannels());
        CpuTensor cos = device.tensor(FP64, i -> Math.cos(i), 5, 3);
        CpuTensor sin = device.tensor(FP64, i -> Math.sin(i), 5, 3);
        int[] rows = {0, 1, 4, 2, 2, 3};
        CpuTensor positions = device.tensor(INT32, i -> rows[(int) i], 6);
        QueryKeyValue out = split(2, 3, 3, heads, 0);
        QueryKeyValue upstream = split(2, 3, 3, heads, 7);
        ReferenceAttention attention = new ReferenceAttention();
        CpuTensor gradient = device.tensor(FP64, i -> Double.NaN, 6, heads.fusedChannels());
        attention.rotateBackAndJoin(queue, heads, 2, upstream, cos, sin, positions, gradient);
        check("dqkv", fused, values(gradient), () -> {
            attention.splitAndRotate(queue, heads, 2, fused, cos, sin, positions, out);
            return joinedDot(out, upstream);
        });
    }

    @ParameterizedTest
    @CsvSource({"3, 3, 0", "4, 6, 2", "5, 3, -2", "4, 2, 7", "3, 2, -9"})
    void attention(int queries, int keys, int causalOffset) {
        AttentionShape shape = new AttentionShape(2, queries, keys, new Heads(4, 2, 4), causalOffset);
        QueryKeyValue in = split(2, queries, keys, shape.heads(), 1);
        CpuTensor dOutput = device.random(FP64, 5, 2L * queries, 16);
        CpuTensor output = device.tensor(FP64, i -> Double.NaN, 2L * queries, 16);
        CpuTensor logSumExp = device.tensor(FP64, i -> Double.NaN, 2, 4, queries);
        ReferenceAttention attention = new ReferenceAttention();
        DoubleSupplier loss = () -> {
            attention.forward(queue, shape, in, output, logSumExp);
            return dot(output, dOutput);
        };
        assertTrue(Double.isFinite(loss.getAsDouble()));
        QueryKeyValue gradient = split(2, queries, keys, shape.heads(), 0);
        attention.backward(queue, shape, dOutput, in, output, logSumExp, gradient);
        check("dq", (CpuTensor) in.queryBHSD(), values((CpuTensor) gradient.queryBHSD()), loss);
        check("dk", (CpuTensor) in.keyBGSD(), values((CpuTensor) gradient.keyBGSD()), loss);
        check("dv", (CpuTensor) in.valueBGSD(), values((CpuTensor) gradient.valueBGSD()), loss);
        if (causalOffset < 0) {
            assertEquals(Double.NEGATIVE_INFINITY, logSumExp.getDouble(0));
            assertEquals(0, output.getDouble(0));
        }
    }

    @ParameterizedTest
    @ValueSource(doubles = {0.5, 100, Double.POSITIVE_INFINITY})
    void clipping(double maximum) {
        ReferenceOptimizer optimizer = new ReferenceOptimizer();
        CpuTensor x = device.random(FP64, 1, 70_001);
        CpuTensor sum = device.tensor(FP64, i -> 2, 1);
        CpuTensor norm = device.tensor(FP64, i -> 0, 1);
        CpuTensor coefficient = device.tensor(FP64, i -> 0, 1);
        optimizer.addSumOfSquares(queue, x, sum);
        optimizer.clipCoefficient(queue, sum, maximum, norm, coefficient);
        double expected = Math.sqrt(2 + dot(x, x));
        assertEquals(expected, norm.getDouble(0), 1e-12 * expected);
        assertEquals(Math.min(1, maximum / (expected + 1e-6)), coefficient.getDouble(0), 1e-12);
    }

    private static double joinedDot(QueryKeyValue a, QueryKeyValue b) {
        return FiniteDifferences.dot((CpuTensor) a.queryBHSD(), (CpuTensor) b.queryBHSD())
                + FiniteDifferences.dot((CpuTensor) a.keyBGSD(), (CpuTensor) b.keyBGSD())
                + FiniteDifferences.dot((CpuTensor) a.valueBGSD(), (CpuTensor) b.valueBGSD());
    }

    private QueryKeyValue split(int sequences, int queries, int keys, Heads heads, long seed) {
        return new QueryKeyValue(
                device.random(FP64, seed, sequences, heads.query(), queries, heads.dim()),
                device.random(FP64, seed + 1, sequences, heads.keyValue(), keys, heads.dim()),
                device.random(FP64, seed + 2, sequences, heads.keyValue(), keys, heads.dim()));
    }
}
