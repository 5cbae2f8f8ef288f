package io.hirundo.optimizerlion.internal;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.ConfigurationException;
import io.hirundo.device.Device;
import io.hirundo.kernel.Kernels;
import io.hirundo.model.parameter.Initialization;
import io.hirundo.model.parameter.Parameter;
import io.hirundo.model.parameter.ParameterPart;
import io.hirundo.model.parameter.ParameterSpec;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Shape;
import io.hirundo.tensor.Tensor;
import io.hirundo.testkit.bench.Bench;
import io.hirundo.testkit.fabric.Substitute;
import io.hirundo.testkit.scalar.ScalarBackend;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class LionTest {
    private record Weight(ParameterSpec spec, Tensor value, Tensor gradient) implements Parameter {}

    private static Weight weight(Bench bench, DType dtype, long... dims) {
        var shape = Shape.of(dims);
        var spec = new ParameterSpec("w", List.of(ParameterPart.whole("w", shape)), Initialization.ZEROS);
        return new Weight(spec, bench.tensor(dtype, i -> Math.sin(i), dims), bench.tensor(dtype, i -> 0, dims));
    }

    /** The paper's algorithm 2 in plain Java, in its order: the update before the moving average. */
    @ParameterizedTest
    @CsvSource({"FP64, 0", "FP32, 1e-6"})
    void equalsThePaper(DType dtype, double tolerance) {
        double beta1 = 0.8;
        double beta2 = 0.95;
        double lambda = 0.3;
        double coefficient = 0.5;
        try (Bench bench = Bench.open(new ScalarBackend())) {
            Weight weight = weight(bench, dtype, 7, 3);
            double[] theta = bench.read(weight.value());
            var m = new double[theta.length];
            var random = new Random(1);
            Tensor half = bench.tensor(DType.FP64, i -> coefficient, 1);
            var optimizer = new LionFactory().create(new LionOptions(beta1, beta2, lambda));
            try (var run = optimizer.bind(bench.device(), List.of(weight))) {
                for (int step = 1; step <= 20; step++) {
                    double eta = 0.01 / step;
                    var g = random.doubles(theta.length, -1, 1).toArray();
                    bench.write(weight.gradient(), i -> g[(int) i]);
                    run.step(bench.queue(), step, eta, half);
                    for (int i = 0; i < theta.length; i++) {
                        double c = beta1 * m[i] + (1 - beta1) * (coefficient * g[i]);
                        theta[i] = theta[i] - eta * (Math.signum(c) + lambda * theta[i]);
                        m[i] = beta2 * m[i] + (1 - beta2) * (coefficient * g[i]);
                    }
                }
                // Another order of operations.
                assertArrayEquals(theta, bench.read(weight.value()), Math.max(tolerance, 1e-14));
                assertArrayEquals(m, bench.read(run.state().getFirst().tensor()), Math.max(tolerance, 1e-14));
            }
        }
    }

    @Test
    void updatesParametersLongerThanItsScratchMemory() {
        try (Bench bench = Bench.open(new ScalarBackend())) {
            Weight weight = weight(bench, DType.FP32, Lion.MAX_RUN + 3);
            double[] before = bench.read(weight.value());
            bench.write(weight.gradient(), i -> i % 2 == 0 ? 1 : -1);
            Tensor one = bench.tensor(DType.FP64, i -> 1, 1);
            try (var run = new LionFactory().create(new LionOptions()).bind(bench.device(), List.of(weight))) {
                run.step(bench.queue(), 1, 0.25, one);
            }
            double[] after = bench.read(weight.value());
            for (int i : new int[] {0, 1, (int) Lion.MAX_RUN - 1, (int) Lion.MAX_RUN, (int) Lion.MAX_RUN + 2}) {
                assertEquals(before[i] - (i % 2 == 0 ? 0.25 : -0.25), after[i], 1e-6, "element " + i);
            }
        }
    }

    @Test
    void rejectsADeviceWithoutArithmetic() {
        try (Bench bench = Bench.open(new ScalarBackend())) {
            var kernels = Substitute.like(
                    Kernels.class, bench.device().kernels(), "find", (real, arguments) -> Optional.empty());
            var device = Substitute.like(Device.class, bench.device(), "kernels", (real, arguments) -> kernels);
            var optimizer = new LionFactory().create(new LionOptions());
            String message = assertThrows(ConfigurationException.class, () -> optimizer.bind(device, List.of()))
                    .getMessage();
            assertTrue(
                    message.endsWith(
                            "has no ArithmeticKernels, which the optimizer lion needs; choose the optimizer adamw, or another device"),
                    message);
        }
    }

    @Test
    void rejectsImpossibleOptionsByName() {
        var factory = new LionFactory();
        var beta = assertThrows(ConfigurationException.class, () -> factory.create(new LionOptions(0.9, 1, 0)));
        assertEquals(
                "optimizer.options.beta2: 1.0 is wrong (allowed: at least 0 and below 1, finite in FP32); set optimizer.options.beta2=0.99",
                beta.getMessage());
        assertThrows(ConfigurationException.class, () -> factory.create(new LionOptions(1.1, 0.9, 0)));
        assertThrows(ConfigurationException.class, () -> factory.create(new LionOptions(0.9, 0.9, -1)));
        assertThrows(ConfigurationException.class, () -> factory.create(new LionOptions(0.9, 0.9, 1e300)));
    }
}
