package io.hirundo.fp8pertensor.internal;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import io.hirundo.devicecpu.internal.CpuBackendFactory;
import io.hirundo.devicecpu.internal.CpuOptions;
import io.hirundo.precision.LinearMath;
import io.hirundo.precision.LinearShape;
import io.hirundo.precision.PrecisionStrategy;
import io.hirundo.precision.PreparedWeight;
import io.hirundo.precision.WeightSharers;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Tensor;
import io.hirundo.testkit.bench.Bench;
import java.util.Arrays;
import java.util.function.LongToDoubleFunction;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Ranks that have a part of a weight each round it as one rank with all of it does, to the bit. */
class SplitWeightTest {
    private static final int OUTPUTS = 64;
    private static final int INPUTS = 32;
    private static final int ROWS = 3;

    private final Bench bench = Bench.open(new CpuBackendFactory().create(new CpuOptions(1, CpuOptions.VECTOR)));

    @AfterEach
    void close() {
        bench.close();
    }

    /** Of the whole weight; its last element is the largest by far, so that all of the first half is rounded otherwise without it. */
    private static double weight(long output, long input) {
        return output == OUTPUTS - 1 && input == INPUTS - 1 ? 40.7 : Math.sin(3.7 * output + 0.9 * input);
    }

    static Stream<PrecisionStrategy> strategies() {
        return Stream.of(
                new Fp8CurrentFactory().create(new Fp8CurrentOptions()),
                // In its first step.
                new Fp8DelayedFactory().create(new Fp8DelayedOptions()));
    }

    /** {@code y} of some of the outputs. */
    private double[] outputs(PrecisionStrategy strategy, int first, int count, WeightSharers sharers) {
        return product(
                strategy.bind(bench.device(), new LinearShape("up", count, INPUTS), sharers),
                bench.tensor(DType.FP32, i -> weight(first + i / INPUTS, i % INPUTS), count, INPUTS),
                (math, prepared, yTN) -> math.forward(bench.queue(), operand(INPUTS), prepared, yTN),
                count);
    }

    /** {@code dx} of some of the inputs. */
    private double[] inputGradients(PrecisionStrategy strategy, int first, int count, WeightSharers sharers) {
        return product(
                strategy.bind(bench.device(), new LinearShape("down", OUTPUTS, count), sharers),
                bench.tensor(DType.FP32, i -> weight(i / count, first + i % count), OUTPUTS, count),
                (math, prepared, dxTK) -> math.inputGradient(bench.queue(), operand(OUTPUTS), prepared, dxTK),
                count);
    }

    @FunctionalInterface
    private interface Product {
        void multiply(LinearMath math, PreparedWeight prepared, Tensor result);
    }

    private double[] product(LinearMath math, Tensor weight, Product product, int columns) {
        Tensor result = bench.tensor(DType.BF16, ROWS, columns);
        try (math;
                var prepared = math.prepare(bench.queue(), weight, null)) {
            product.multiply(math, prepared, result);
            return bench.read(result);
        }
    }

    private Tensor operand(int columns) {
        LongToDoubleFunction value = i -> Math.cos(1.3 * i);
        return bench.tensor(DType.BF16, value, ROWS, columns);
    }

    /** Of a whole [{@link #ROWS}, columns]. */
    private static double[] columns(double[] whole, int first, int count) {
        int columns = whole.length / ROWS;
        var part = new double[ROWS * count];
        for (int row = 0; row < ROWS; row++) {
            System.arraycopy(whole, row * columns + first, part, row * count, count);
        }
        return part;
    }

    @ParameterizedTest
    @MethodSource("strategies")
    void matchesTheUnshardedWeight(PrecisionStrategy strategy) {
        // What the rank with the largest element has found.
        WeightSharers agreed =
                (queue, magnitudes) -> bench.write(magnitudes, i -> Math.max(40.7f, bench.read(magnitudes)[(int) i]));
        double[] y = outputs(strategy, 0, OUTPUTS, WeightSharers.NONE);
        double[] dx = inputGradients(strategy, 0, INPUTS, WeightSharers.NONE);
        for (int half = 0; half < 2; half++) {
            int output = half * OUTPUTS / 2;
            assertArrayEquals(columns(y, output, OUTPUTS / 2), outputs(strategy, output, OUTPUTS / 2, agreed));
            int input = half * INPUTS / 2;
            assertArrayEquals(columns(dx, input, INPUTS / 2), inputGradients(strategy, input, INPUTS / 2, agreed));
        }
        assertFalse(Arrays.equals(columns(y, 0, OUTPUTS / 2), outputs(strategy, 0, OUTPUTS / 2, WeightSharers.NONE)));
    }
}
