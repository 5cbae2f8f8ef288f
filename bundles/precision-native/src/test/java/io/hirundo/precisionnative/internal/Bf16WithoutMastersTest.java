package io.hirundo.precisionnative.internal;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.hirundo.device.ComputeBackend;
import io.hirundo.devicecpu.internal.CpuBackendFactory;
import io.hirundo.devicecpu.internal.CpuOptions;
import io.hirundo.precision.PrecisionStrategy;
import io.hirundo.tensor.DType;
import io.hirundo.testkit.HirundoContract;
import io.hirundo.testkit.PrecisionContract;
import org.junit.jupiter.api.Test;

@HirundoContract
class Bf16WithoutMastersTest implements PrecisionContract {
    @Override
    public PrecisionStrategy strategy() {
        return new Bf16Factory().create(new Bf16Options(Bf16Options.NONE));
    }

    @Override
    public ComputeBackend backend() {
        return new CpuBackendFactory().create(new CpuOptions(1, CpuOptions.VECTOR));
    }

    @Test
    void parametersAreBf16() {
        assertEquals(DType.BF16, strategy().parameterType());
        assertEquals(DType.BF16, strategy().weightType());
        assertEquals(DType.BF16, strategy().activationType());
    }
}
