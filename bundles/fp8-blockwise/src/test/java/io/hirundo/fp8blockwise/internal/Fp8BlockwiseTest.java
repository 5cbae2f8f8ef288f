package io.hirundo.fp8blockwise.internal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.ConfigurationException;
import io.hirundo.device.ComputeBackend;
import io.hirundo.device.MemoryCategory;
import io.hirundo.devicecpu.internal.CpuBackendFactory;
import io.hirundo.devicecpu.internal.CpuOptions;
import io.hirundo.precision.LinearShape;
import io.hirundo.precision.PrecisionStrategy;
import io.hirundo.tensor.DType;
import io.hirundo.testkit.Fp8Contract;
import io.hirundo.testkit.HirundoContract;
import io.hirundo.testkit.bench.Bench;
import io.hirundo.testkit.kernel.DeclaredKernels;
import io.hirundo.testkit.scalar.ScalarBackend;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

@HirundoContract
class Fp8BlockwiseTest implements Fp8Contract {
    @Override
    public PrecisionStrategy strategy() {
        return new Fp8BlockwiseFactory().create(new Fp8BlockwiseOptions());
    }

    @Override
    public ComputeBackend backend() {
        return new CpuBackendFactory().create(new CpuOptions(1, CpuOptions.VECTOR));
    }

    /** Of two operands that are rounded by a sixteenth at most, 0.026 on average. */
    @Override
    public double tolerance() {
        return 0.05;
    }

    @Test
    void describesLayersInBf16WithTheReason() {
        assertEquals("fp8", strategy().describe(new LinearShape("a", 48, 16)));
        assertEquals("bf16 (40 outputs are no multiple of 16)", strategy().describe(new LinearShape("a", 40, 16)));
        assertEquals("bf16 (17 inputs are no multiple of 16)", strategy().describe(new LinearShape("a", 16, 17)));
    }

    @Test
    void storesAWeightInBothDirections() {
        try (Bench bench = Bench.open(backend())) {
            var w = bench.tensor(DType.FP32, i -> i, 144, 272);
            var math = strategy().bind(bench.device(), new LinearShape("layers.0.mlp.down", 144, 272));
            var first = math.prepare(bench.queue(), w, null);
            assertSame(first, math.prepare(bench.queue(), w, first));
            // Scales: 2 by 4 and 3 by 4, in whole lines of 64 bytes.
            assertEquals(Map.of(MemoryCategory.WEIGHTS, 2 * 144 * 272 + 2 * 64L), bench.heldByOthers());
            first.close();
            math.close();
        }
    }

    @Test
    void rejectsADeviceWithoutTheKernels() {
        try (Bench bench = Bench.open(new ScalarBackend())) {
            var rejected = assertThrows(
                    ConfigurationException.class,
                    () -> strategy()
                            .bind(
                                    DeclaredKernels.of(bench.device(), Set.of()),
                                    new LinearShape("layers.0.mlp.down", 144, 272)));
            assertTrue(
                    rejected.getMessage().contains("testkit")
                            && rejected.getMessage().contains("bf16"),
                    rejected.getMessage());
        }
    }
}
