package io.hirundo.devicecpu.internal.attention;

import static io.hirundo.devicecpu.internal.fixture.TestDevice.values;
import static io.hirundo.tensor.DType.BF16;
import static io.hirundo.tensor.DType.FP32;
import static io.hirundo.tensor.DType.FP64;
import static io.hirundo.tensor.DType.INT32;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.devicecpu.internal.fixture.KernelParity;
import io.hirundo.devicecpu.internal.fixture.TestDevice;
import io.hirundo.devicecpu.internal.tensor.CpuTensor;
import io.hirundo.kernel.Kernels;
import io.hirundo.kernel.attention.AttentionKernels;
import io.hirundo.kernel.attention.AttentionShape;
import io.hirundo.kernel.attention.DocumentBounds;
import io.hirundo.kernel.attention.Heads;
import io.hirundo.kernel.attention.QueryKeyValue;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Tensor;
import io.hirundo.testkit.bench.Matrices;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

public final class VectorAttentionTest {
    /** Sequences, query tokens, key tokens, query heads, key heads, head dim, causal offset. */
    @ParameterizedTest
    @CsvSource({
        "2, 64, 64, 2, 2, 16, 0",
        "1, 130, 130, 4, 2, 48, 0",
        "1, 61, 61, 3, 1, 8, 0",
        "2, 1, 1, 2, 1, 2, 0",
        "1, 100, 100, 1, 1, 64, 0",
        "1, 65, 65, 2, 2, 80, 0",
        "1, 33, 33, 1, 1, 256, 0",
        "1, 33, 33, 1, 1, 100, 0",
        "1, 17, 150, 2, 1, 24, 133",
        "1, 40, 90, 2, 2, 16, 1000000000",
        "1, 70, 70, 2, 1, 32, -5",
        "1, 150, 70, 2, 1, 32, -67",
        "1, 70, 75, 2, 1, 16, 1",
        "1, 70, 75, 2, 1, 16, 3",
        "1, 90, 64, 1, 1, 16, -1",
        "1, 20, 20, 1, 1, 16, -21",
        "1, 3, 0, 2, 1, 16, 0",
    })
    void forwardAndBackward(
            int sequences, int queries, int keys, int queryHeads, int keyHeads, int dim, int causalOffset) {
        AttentionShape shape =
                new AttentionShape(sequences, queries, keys, new Heads(queryHeads, keyHeads, dim), causalOffset);
        KernelParity.check(1e-5, (device, kernels) -> attend(device, kernels, shape, FP32, 1));
        // The backward reads outputs that may already differ by one BF16 step.
        KernelParity.check(1e-5, (device, kernels) -> attend(device, kernels, shape, BF16, 1));
    }

    /**
     * Sequences, query tokens, key tokens, head dim, causal offset, tokens of a document, place of the first key: documents
     * shorter and longer than a tile, keys that begin before and behind the queries' documents.
     */
    @ParameterizedTest
    @CsvSource({
        "2, 64, 64, 16, 0, 10, 0",
        "1, 200, 200, 48, 0, 70, 0",
        "3, 150, 150, 8, 0, 2, 0",
        "2, 61, 61, 100, 0, 1000, 0",
        "1, 70, 70, 32, 70, 90, 20",
        "2, 130, 70, 16, 70, 65, 40",
        "1, 70, 130, 16, -5, 33, 3",
    })
    void documentsInSequences(
            int sequences, int queries, int keys, int dim, int causalOffset, int documentTokens, int firstKey) {
        AttentionShape shape = new AttentionShape(sequences, queries, keys, new Heads(4, 2, dim), causalOffset);
        KernelParity.check(1e-5, (device, kernels) -> {
            // Each sequence's documents are cut elsewhere.
            CpuTensor starts = device.tensor(
                    INT32,
                    i -> Math.max(
                            0, (i % queries + i / queries * 3) / documentTokens * documentTokens - i / queries * 3),
                    sequences,
                    queries);
            return attend(device, kernels, shape.within(new DocumentBounds(starts, firstKey)), FP32, 1);
        });
    }

    /** Of both kernels: two documents of 2 and 3 tokens in a sequence are two sequences of 2 and 3. */
    @ParameterizedTest
    @ValueSource(strings = {"vector", "reference"})
    void documentsAttendAsSequencesOfTheirOwn(String kernels) {
        try (TestDevice device = new TestDevice(1, kernels)) {
            Heads heads = new Heads(1, 1, 4);
            QueryKeyValue in = new QueryKeyValue(
                    device.random(FP32, 1, 1, 1, 5, 4),
                    device.random(FP32, 2, 1, 1, 5, 4),
                    device.random(FP32, 3, 1, 1, 5, 4));
            CpuTensor starts = device.tensor(INT32, i -> i < 2 ? 0 : 2, 1, 5);
            CpuTensor together = device.tensor(FP32, i -> Double.NaN, 5, 4);
            CpuTensor sums = device.tensor(FP32, i -> Double.NaN, 5);
            AttentionShape bound = AttentionShape.causal(1, 5, heads).within(new DocumentBounds(starts, 0));
            device.device.kernels().attention().forward(device.queue, bound, in, together, sums);
            int first = 0;
            for (int tokens : new int[] {2, 3}) {
                CpuTensor alone = device.tensor(FP32, i -> Double.NaN, tokens, 4);
                CpuTensor sumsAlone = device.tensor(FP32, i -> Double.NaN, tokens);
                QueryKeyValue part = new QueryKeyValue(
                        piece(device, in.queryBHSD(), first, tokens),
                        piece(device, in.keyBGSD(), first, tokens),
                        piece(device, in.valueBGSD(), first, tokens));
                device.device
                        .kernels()
                        .attention()
                        .forward(device.queue, AttentionShape.causal(1, tokens, heads), part, alone, sumsAlone);
                assertArrayEquals(
                        values(alone), Arrays.copyOfRange(values(together), first * 4, (first + tokens) * 4), 1e-6);
                assertArrayEquals(values(sumsAlone), Arrays.copyOfRange(values(sums), first, first + tokens), 1e-6);
                first += tokens;
            }
            // The first token of a document sees itself alone.
            assertArrayEquals(
                    Arrays.copyOfRange(values(cpu(in.valueBGSD())), 8, 12),
                    Arrays.copyOfRange(values(together), 8, 12),
                    1e-6);
        }
    }

    private static CpuTensor piece(TestDevice device, Tensor rows, int first, int tokens) {
        return device.tensor(FP32, i -> cpu(rows).getDouble(first * 4L + i), 1, 1, tokens, 4);
    }

    @Test
    void largeScoresDoNotOverflow() {
        AttentionShape shape = AttentionShape.causal(1, 70, new Heads(1, 1, 16));
        KernelParity.check(2e-4, (device, kernels) -> attend(device, kernels, shape, FP32, 30));
    }

    @Test
    void referenceComputesFp64AndLargerHeads() {
        AttentionShape shape = AttentionShape.causal(1, 5, new Heads(2, 1, 4));
        KernelParity.check(0, (device, kernels) -> attend(device, kernels, shape, FP64, 1));
        AttentionShape large = AttentionShape.causal(1, 3, new Heads(1, 1, 258));
        KernelParity.check(0, (device, kernels) -> attend(device, kernels, large, FP32, 1));
    }

    @Test
    void bf16GradientsOfMoreKeysThanFitInScratchMemory() {
        AttentionShape shape = new AttentionShape(1, 3, 1200, new Heads(1, 1, 256), 1_000_000);
        KernelParity.check(1e-5, (device, kernels) -> attend(device, kernels, shape, BF16, 1));
    }

    @Test
    void aQueryThatSeesNoKeyGivesZeroAndMinusInfinity() {
        try (TestDevice device = new TestDevice(2, "vector")) {
            AttentionShape shape = new AttentionShape(1, 70, 70, new Heads(1, 1, 8), -3);
            List<CpuTensor> out = attend(device, device.device.kernels(), shape, FP32, 1);
            assertArrayEquals(new double[3 * 8], Arrays.copyOf(values(out.get(0)), 3 * 8));
            assertEquals(Double.NEGATIVE_INFINITY, out.get(1).getDouble(2));
            assertTrue(Double.isFinite(out.get(1).getDouble(3)));
            assertArrayEquals(new double[3 * 8], Arrays.copyOf(values(out.get(2)), 3 * 8));
            double[] dKey = values(out.get(3));
            assertArrayEquals(new double[3 * 8], Arrays.copyOfRange(dKey, 67 * 8, 70 * 8), "keys that nobody sees");
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 6, 8, 48, 64, 72, 98})
    void rotary(int dim) {
        rotary(dim, FP32, 1e-6);
        rotary(dim, BF16, KernelParity.BF16_STEP);
    }

    private static void rotary(int dim, DType dtype, double tolerance) {
        Heads heads = new Heads(3, 1, dim);
        KernelParity.check(tolerance, (device, kernels) -> {
            CpuTensor fused = device.random(dtype, 1, 3 * 37, heads.fusedChannels());
            CpuTensor back = device.tensor(dtype, i -> Double.NaN, 3 * 37, heads.fusedChannels());
            CpuTensor cos = device.tensor(FP32, Math::cos, 40, dim / 2);
            CpuTensor sin = device.tensor(FP32, Math::sin, 40, dim / 2);
            CpuTensor positions = device.tensor(INT32, i -> (i * 7) % 40, 3 * 37);
            QueryKeyValue split = empty(device, dtype, 3, 37, 37, heads);
            kernels.attention().splitAndRotate(device.queue, heads, 3, fused, cos, sin, positions, split);
            kernels.attention().rotateBackAndJoin(device.queue, heads, 3, split, cos, sin, positions, back);
            Matrices.requireEachClose("rotated to and fro", values(fused), values(back), tolerance);
            return List.of(cpu(split.queryBHSD()), cpu(split.keyBGSD()), cpu(split.valueBGSD()), back);
        });
    }

    @ParameterizedTest
    @ValueSource(strings = {"vector", "reference"})
    void rejectsWrongOperandsByName(String kernels) {
        try (TestDevice device = new TestDevice(1, kernels)) {
            AttentionKernels attention = device.device.kernels().attention();
            Heads heads = new Heads(2, 1, 4);
            AttentionShape shape = AttentionShape.causal(1, 5, heads);
            QueryKeyValue in = empty(device, FP32, 1, 5, 5, heads);
            CpuTensor output = device.random(FP32, 1, 5, 8);
            CpuTensor logSumExp = device.random(FP32, 1, 10);
            rejected(
                    "keyBGSD",
                    () -> attention.forward(
                            device.queue,
                            shape,
                            new QueryKeyValue(in.queryBHSD(), in.queryBHSD(), in.valueBGSD()),
                            output,
                            logSumExp));
            rejected(
                    "valueBGSD is FP64",
                    () -> attention.forward(
                            device.queue,
                            shape,
                            new QueryKeyValue(in.queryBHSD(), in.keyBGSD(), device.random(FP64, 1, 1, 1, 5, 4)),
                            output,
                            logSumExp));
            rejected(
                    "outputTHD",
                    () -> attention.forward(device.queue, shape, in, device.random(FP32, 1, 5, 9), logSumExp));
            rejected(
                    "logSumExpBHS",
                    () -> attention.forward(device.queue, shape, in, output, device.random(FP32, 1, 9)));
            rejected(
                    "startsBS",
                    () -> attention.forward(
                            device.queue,
                            shape.within(new DocumentBounds(device.tensor(INT32, i -> 0, 4), 0)),
                            in,
                            output,
                            logSumExp));
            rejected(
                    "outputGradientTHD",
                    () -> attention.backward(
                            device.queue, shape, device.random(FP32, 1, 4, 8), in, output, logSumExp, in));
            rejected(
                    "gradient.queryBHSD",
                    () -> attention.backward(
                            device.queue,
                            shape,
                            output,
                            in,
                            output,
                            logSumExp,
                            new QueryKeyValue(in.keyBGSD(), in.keyBGSD(), in.valueBGSD())));
            CpuTensor fused = device.random(FP32, 1, 5, 16);
            CpuTensor table = device.random(FP32, 1, 3, 2);
            CpuTensor positions = device.tensor(INT32, i -> i, 5);
            rejected(
                    "positionsT has 3 at token 3",
                    () -> attention.splitAndRotate(device.queue, heads, 1, fused, table, table, positions, in));
            rejected(
                    "qkvTE",
                    () -> attention.splitAndRotate(device.queue, heads, 2, fused, table, table, positions, in));
            rejected(
                    "sinPD2",
                    () -> attention.rotateBackAndJoin(
                            device.queue, heads, 1, in, table, device.random(FP32, 1, 2, 2), positions, fused));
        }
    }

    public static void rejected(String operand, Runnable call) {
        String message = assertThrows(IllegalArgumentException.class, call::run).getMessage();
        assertTrue(message.contains(operand), message);
    }

    public static List<CpuTensor> attend(
            TestDevice device, Kernels kernels, AttentionShape shape, DType dtype, double size) {
        Heads heads = shape.heads();
        long tokens = (long) shape.sequences() * shape.queryTokens();
        QueryKeyValue in = new QueryKeyValue(
                scaled(
                        device.random(dtype, 1, shape.sequences(), heads.query(), shape.queryTokens(), heads.dim()),
                        size),
                device.random(dtype, 2, shape.sequences(), heads.keyValue(), shape.keyTokens(), heads.dim()),
                device.random(dtype, 3, shape.sequences(), heads.keyValue(), shape.keyTokens(), heads.dim()));
        CpuTensor output = device.tensor(dtype, i -> Double.NaN, tokens, heads.outputChannels());
        DType statistics = dtype == FP64 ? FP64 : FP32;
        CpuTensor logSumExp =
                device.tensor(statistics, i -> Double.NaN, shape.sequences(), heads.query(), shape.queryTokens());
        kernels.attention().forward(device.queue, shape, in, output, logSumExp);
        CpuTensor dOutput = device.random(dtype, 4, tokens, heads.outputChannels());
        QueryKeyValue gradient = empty(device, dtype, shape.sequences(), shape.queryTokens(), shape.keyTokens(), heads);
        kernels.attention().backward(device.queue, shape, dOutput, in, output, logSumExp, gradient);
        return List.of(
                output, logSumExp, cpu(gradient.queryBHSD()), cpu(gradient.keyBGSD()), cpu(gradient.valueBGSD()));
    }

    private static CpuTensor scaled(CpuTensor tensor, double factor) {
        for (long i = 0; i < tensor.elements(); i++) {
            tensor.setDouble(i, tensor.getDouble(i) * factor);
        }
        return tensor;
    }

    private static QueryKeyValue empty(
            TestDevice device, DType dtype, int sequences, int queries, int keys, Heads heads) {
        return new QueryKeyValue(
                device.tensor(dtype, i -> Double.NaN, sequences, heads.query(), queries, heads.dim()),
                device.tensor(dtype, i -> Double.NaN, sequences, heads.keyValue(), keys, heads.dim()),
                device.tensor(dtype, i -> Double.NaN, sequences, heads.keyValue(), keys, heads.dim()));
    }

    private static CpuTensor cpu(Tensor tensor) {
        return (CpuTensor) tensor;
    }
}
