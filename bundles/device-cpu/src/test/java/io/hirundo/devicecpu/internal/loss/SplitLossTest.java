package io.hirundo.devicecpu.internal.loss;

import static io.hirundo.devicecpu.internal.attention.VectorAttentionTest.rejected;
import static io.hirundo.devicecpu.internal.fixture.TestDevice.values;
import static io.hirundo.tensor.DType.BF16;
import static io.hirundo.tensor.DType.FP32;
import static io.hirundo.tensor.DType.FP64;
import static io.hirundo.tensor.DType.INT32;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.devicecpu.internal.fixture.KernelParity;
import io.hirundo.devicecpu.internal.fixture.TestDevice;
import io.hirundo.devicecpu.internal.tensor.CpuTensor;
import io.hirundo.kernel.LossKernels;
import io.hirundo.tensor.DType;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.IntUnaryOperator;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A vocabulary that is split over ranks against one that is not. */
final class SplitLossTest {
    private static final double GRADIENT_SCALE = 0.125;

    /** Labels of the cases below: of every slice, its borders included. */
    private static int label(int token, int vocabulary) {
        return switch (token % 4) {
            case 0 -> token * 31 % vocabulary;
            case 1 -> 0;
            case 2 -> vocabulary - 1;
            default -> vocabulary / 2;
        };
    }

    /** Every third token does not count. */
    private static float weight(int token) {
        return token % 3 == 2 ? 0 : 1 + token % 2;
    }

    /** Operands of a whole cross-entropy, the same on every call. */
    private record Whole(TestDevice on, DType dtype, CpuTensor logits, CpuTensor labels, CpuTensor weights) {
        static Whole of(TestDevice on, DType dtype, int tokens, int vocabulary) {
            return new Whole(
                    on,
                    dtype,
                    on.tensor(dtype, i -> 20 * Math.sin(i), tokens, vocabulary),
                    on.tensor(INT32, i -> label((int) i, Math.max(1, vocabulary)), tokens),
                    on.tensor(FP32, i -> weight((int) i), tokens));
        }

        int tokens() {
            return (int) logits.shape().dim(0);
        }

        int vocabulary() {
            return (int) logits.shape().dim(1);
        }

        LossKernels loss() {
            return on.device.kernels().loss();
        }

        DType statistics() {
            return dtype == FP64 ? FP64 : FP32;
        }

        /** Columns of the logits, with another rank's address of the same numbers. */
        CpuTensor columns(int first, int count) {
            return on.tensor(
                    dtype, i -> logits.getDouble(i / count * vocabulary() + first + i % count), tokens(), count);
        }

        /** The loss and the gradient of all logits. */
        List<double[]> inOne() {
            CpuTensor lossSum = on.tensor(FP64, i -> 3, 1);
            CpuTensor gradient = columns(0, vocabulary());
            loss().crossEntropyWithGradient(on.queue, gradient, labels, weights, GRADIENT_SCALE, lossSum);
            return List.of(values(lossSum), values(gradient));
        }

        /**
         * As {@link #inOne}, by so many ranks.
         *
         * @param border the first token of a rank, of {@code ranks} the end
         */
        List<double[]> inParts(int ranks, IntUnaryOperator border) {
            CpuTensor maximum = on.tensor(statistics(), i -> Double.NEGATIVE_INFINITY, tokens());
            CpuTensor sums = on.tensor(statistics(), i -> 0, 2, tokens());
            List<CpuTensor> slices = new ArrayList<>();
            for (int rank = 0; rank < ranks; rank++) {
                int first = border.applyAsInt(rank);
                slices.add(columns(first, border.applyAsInt(rank + 1) - first));
                CpuTensor own = on.tensor(statistics(), i -> Double.NaN, tokens());
                loss().maximum(on.queue, slices.get(rank), own);
                on.device.kernels().elementwise().maximum(on.queue, own, maximum);
            }
            for (int rank = 0; rank < ranks; rank++) {
                CpuTensor own = on.tensor(statistics(), i -> Double.NaN, 2, tokens());
                loss().partialSums(on.queue, slices.get(rank), labels, border.applyAsInt(rank), maximum, own);
                on.device.kernels().elementwise().add(on.queue, own, sums);
            }
            CpuTensor lossSum = on.tensor(FP64, i -> 3, 1);
            loss().lossOfSums(on.queue, sums, weights, lossSum);
            double[] gradient = new double[tokens() * vocabulary()];
            for (int rank = 0; rank < ranks; rank++) {
                int first = border.applyAsInt(rank);
                CpuTensor slice = slices.get(rank);
                loss().gradientOfSums(on.queue, slice, labels, first, maximum, sums, weights, GRADIENT_SCALE);
                int count = (int) slice.shape().dim(1);
                for (int i = 0; i < slice.elements(); i++) {
                    gradient[i / count * vocabulary() + first + i % count] = slice.getDouble(i);
                }
            }
            return List.of(values(lossSum), gradient, values(maximum), values(sums));
        }
    }

    /** Kernels, type, tokens, vocabulary, tolerance. */
    @ParameterizedTest
    @CsvSource({
        "vector, FP32, 37, 1000, 1e-6",
        "vector, FP32, 5, 43, 1e-6",
        "vector, FP32, 3, 40001, 1e-6",
        "vector, FP32, 1, 4, 1e-6",
        "vector, FP64, 11, 101, 1e-12",
        "vector, BF16, 11, 101, 4e-3",
        "reference, FP32, 37, 1000, 1e-6",
        "reference, FP64, 37, 1000, 1e-12",
    })
    void partsGiveWhatTheWholeGives(String kernels, DType dtype, int tokens, int vocabulary, double tolerance) {
        try (TestDevice on = new TestDevice(2, kernels)) {
            Whole whole = Whole.of(on, dtype, tokens, vocabulary);
            List<double[]> expected = whole.inOne();
            for (int ranks = 1; ranks <= 4; ranks++) {
                int parts = ranks;
                checkSame(expected, whole.inParts(parts, rank -> rank * vocabulary / parts), dtype, tolerance);
                // As uneven as it gets: the first rank holds a token, the last one all of the others.
                checkSame(expected, whole.inParts(parts, rank -> rank == parts ? vocabulary : rank), dtype, tolerance);
            }
        }
    }

    private static void checkSame(List<double[]> expected, List<double[]> actual, DType dtype, double tolerance) {
        // The loss is summed in double, also of logits that are BF16.
        assertEquals(expected.get(0)[0], actual.get(0)[0], Math.min(tolerance, 1e-6) * expected.get(0)[0]);
        double size = 0;
        for (double value : expected.get(1)) {
            size = Math.max(size, Math.abs(value));
        }
        assertTrue(size > 0);
        for (int i = 0; i < expected.get(1).length; i++) {
            assertEquals(expected.get(1)[i], actual.get(1)[i], tolerance * size, dtype + " gradient at " + i);
        }
    }

    /** Kernels against kernels, and one to three workers against each other. */
    @ParameterizedTest
    @CsvSource({
        "37, 1000, FP32",
        "300, 129, FP32",
        "3, 40001, FP32",
        "1, 1, FP32",
        "5, 0, FP32",
        "7, 43, FP64",
        "7, 43, BF16",
        "300, 129, BF16",
        "3, 40001, BF16"
    })
    void vectorEqualsTheReference(int tokens, int vocabulary, DType dtype) {
        KernelParity.check(dtype == FP64 ? 0 : 2e-6, (on, kernels) -> {
            Whole whole = Whole.of(on, dtype, tokens, vocabulary);
            CpuTensor maximum = on.tensor(whole.statistics(), i -> Double.NaN, tokens);
            CpuTensor sums = on.tensor(whole.statistics(), i -> Double.NaN, 2, tokens);
            CpuTensor lossSum = on.tensor(FP64, i -> 1, 1);
            // The labels are 11 tokens further on than these columns.
            kernels.loss().maximum(on.queue, whole.logits, maximum);
            kernels.loss().partialSums(on.queue, whole.logits, whole.labels, 11, maximum, sums);
            kernels.loss()
                    .gradientOfSums(
                            on.queue, whole.logits, whole.labels, 11, maximum, sums, whole.weights, GRADIENT_SCALE);
            CpuTensor allSums = on.tensor(
                    whole.statistics(), i -> i < tokens ? 1 + sums.getDouble(i) : sums.getDouble(i), 2, tokens);
            kernels.loss().lossOfSums(on.queue, allSums, whole.weights, lossSum);
            return List.of(maximum, sums, whole.logits, lossSum);
        });
    }

    @ParameterizedTest
    @ValueSource(strings = {"vector", "reference"})
    void labelOfAnotherRankGivesTheProbabilities(String kernels) {
        try (TestDevice on = new TestDevice(1, kernels)) {
            CpuTensor logits = on.tensor(FP32, i -> i == 0 ? 0 : Math.log(3), 1, 2);
            CpuTensor weights = on.tensor(FP32, i -> 2, 1);
            CpuTensor sums = on.tensor(FP32, i -> Double.NaN, 2, 1);
            CpuTensor maximum = on.tensor(FP32, i -> Math.log(4), 1);
            LossKernels loss = on.device.kernels().loss();
            for (int label : new int[] {9, 12, Integer.MAX_VALUE}) {
                CpuTensor labels = on.tensor(INT32, i -> label, 1);
                loss.partialSums(on.queue, logits, labels, 10, maximum, sums);
                assertArrayEquals(new double[] {1, 0}, values(sums), 1e-6, "label " + label);
                CpuTensor gradient = on.tensor(FP32, logits::getDouble, 1, 2);
                CpuTensor all = on.tensor(FP32, i -> 2, 2, 1);
                loss.gradientOfSums(on.queue, gradient, labels, 10, maximum, all, weights, 1);
                assertArrayEquals(new double[] {0.25, 0.75}, values(gradient), 1e-6, "label " + label);
            }
            CpuTensor last = on.tensor(INT32, i -> 11, 1);
            loss.partialSums(on.queue, logits, last, 10, maximum, sums);
            assertEquals(Math.log(3) - Math.log(4), sums.getDouble(1), 1e-6);
        }
    }

    /** A token of weight 0 has no loss and no gradient, whatever its logits: padding may be infinite. */
    @ParameterizedTest
    @ValueSource(strings = {"vector", "reference"})
    void ignoresNaNsOfTokensWithWeightZero(String kernels) {
        try (TestDevice on = new TestDevice(1, kernels)) {
            CpuTensor logits = on.tensor(FP32, i -> i < 20 ? Double.NaN : i, 2, 20);
            CpuTensor labels = on.tensor(INT32, i -> 3, 2);
            CpuTensor weights = on.tensor(FP32, i -> i, 2);
            CpuTensor maximum = on.tensor(FP32, i -> 0, 2);
            CpuTensor sums = on.tensor(FP32, i -> 0, 2, 2);
            CpuTensor lossSum = on.tensor(FP64, i -> 0, 1);
            LossKernels loss = on.device.kernels().loss();
            loss.maximum(on.queue, logits, maximum);
            loss.partialSums(on.queue, logits, labels, 0, maximum, sums);
            loss.lossOfSums(on.queue, sums, weights, lossSum);
            loss.gradientOfSums(on.queue, logits, labels, 0, maximum, sums, weights, 1);
            assertTrue(lossSum.getDouble(0) > 0);
            assertArrayEquals(new double[20], Arrays.copyOf(values(logits), 20));
            assertEquals(0, Arrays.stream(values(logits)).sum(), 1e-6, "a gradient of softmax sums up to nothing");
        }
    }

    /** A broken logit of one rank must show on all of them, so that they fail together. */
    @ParameterizedTest
    @ValueSource(strings = {"vector", "reference"})
    void nanLogitGivesNaNOnAllRanks(String kernels) {
        try (TestDevice on = new TestDevice(2, kernels)) {
            Whole whole = Whole.of(on, FP32, 2, 50);
            whole.logits.setDouble(41, Double.NaN);
            List<double[]> result = whole.inParts(3, rank -> rank * 50 / 3);
            assertEquals(Double.NaN, result.get(0)[0]);
            for (int i = 0; i < 50; i++) {
                assertEquals(Double.NaN, result.get(1)[i], "gradient at " + i);
                assertTrue(Double.isFinite(result.get(1)[50 + i]), "the other token at " + i);
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"vector", "reference"})
    void rejectsWrongOperandsByName(String kernels) {
        try (TestDevice on = new TestDevice(1, kernels)) {
            LossKernels loss = on.device.kernels().loss();
            CpuTensor x = on.random(FP32, 1, 3, 4);
            CpuTensor t = on.random(FP32, 1, 3);
            CpuTensor sums = on.random(FP32, 1, 2, 3);
            CpuTensor labels = on.tensor(INT32, i -> i, 3);
            CpuTensor scalar = on.tensor(FP64, i -> 0, 1);
            rejected("maximumT", () -> loss.maximum(on.queue, x, on.random(FP32, 1, 4)));
            rejected("maximumT is FP32", () -> loss.maximum(on.queue, on.random(FP64, 1, 3, 4), t));
            rejected("maximumT is BF16", () -> loss.maximum(on.queue, on.random(BF16, 1, 3, 4), on.random(BF16, 1, 3)));
            rejected("logitsTV is INT32", () -> loss.maximum(on.queue, labels, t));
            rejected("labelsT", () -> loss.partialSums(on.queue, x, t, 0, t, sums));
            rejected("sums2T", () -> loss.partialSums(on.queue, x, labels, 0, t, on.random(FP32, 1, 3, 2)));
            rejected("firstToken is -4", () -> loss.partialSums(on.queue, x, labels, -4, t, sums));
            CpuTensor negative = on.tensor(INT32, i -> 1 - i, 3);
            rejected("labelsT has -1 at token 2", () -> loss.partialSums(on.queue, x, negative, 0, t, sums));
            rejected("sums2T", () -> loss.lossOfSums(on.queue, on.random(FP32, 1, 2, 4), t, scalar));
            rejected("sums2T is BF16", () -> loss.lossOfSums(on.queue, on.random(BF16, 1, 2, 3), t, scalar));
            rejected("lossSum1", () -> loss.lossOfSums(on.queue, sums, t, t));
            rejected("weightsT", () -> loss.gradientOfSums(on.queue, x, labels, 0, t, sums, on.random(FP32, 1, 4), 1));
            rejected("sums2T", () -> loss.gradientOfSums(on.queue, x, labels, 0, t, x, t, 1));
        }
    }
}
