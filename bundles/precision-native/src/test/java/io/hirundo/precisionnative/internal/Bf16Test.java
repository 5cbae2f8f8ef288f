package io.hirundo.precisionnative.internal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;

import io.hirundo.device.ComputeBackend;
import io.hirundo.device.MemoryCategory;
import io.hirundo.devicecpu.internal.CpuBackendFactory;
import io.hirundo.devicecpu.internal.CpuOptions;
import io.hirundo.precision.LinearShape;
import io.hirundo.precision.PrecisionStrategy;
import io.hirundo.tensor.DType;
import io.hirundo.testkit.HirundoContract;
import io.hirundo.testkit.PrecisionContract;
import io.hirundo.testkit.bench.Bench;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

@HirundoContract
class Bf16Test implements PrecisionContract {
    @Override
    public PrecisionStrategy strategy() {
        return new Bf16Factory().create(new Bf16Options());
    }

    @Override
    public ComputeBackend backend() {
        return new CpuBackendFactory().create(new CpuOptions(1, CpuOptions.VECTOR));
    }

    @Test
    void keepsParametersInFp32() {
        assertEquals(DType.FP32, strategy().parameterType());
        assertEquals(DType.BF16, strategy().activationType());
    }

    @Test
    void readsRoundedWeightsAsTheyAre() {
        assertEquals(DType.BF16, strategy().weightType());
        try (Bench bench = Bench.open(backend())) {
            var math = strategy().bind(bench.device(), new LinearShape("layers.0.mlp.down", 64, 96));
            assertEquals(Optional.of(DType.BF16), math.weightType());
            math.prepare(bench.queue(), bench.tensor(DType.BF16, i -> i, 64, 96), null)
                    .close();
            assertEquals(Map.of(), bench.heldByOthers());
            math.close();
        }
    }

    @Test
    void copiesMasterWeightsInCategoryWeights() {
        try (Bench bench = Bench.open(backend())) {
            var w = bench.tensor(DType.FP32, i -> i, 64, 96);
            var math = strategy().bind(bench.device(), new LinearShape("layers.0.mlp.down", 64, 96));
            var first = math.prepare(bench.queue(), w, null);
            assertSame(first, math.prepare(bench.queue(), w, first));
            assertEquals(Map.of(MemoryCategory.WEIGHTS, 64 * 96 * 2L), bench.heldByOthers());
            first.close();
            math.close();
        }
    }
}
