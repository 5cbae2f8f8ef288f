package io.hirundo.precisionnative.internal;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.hirundo.device.ComputeBackend;
import io.hirundo.devicecpu.internal.CpuBackendFactory;
import io.hirundo.devicecpu.internal.CpuOptions;
import io.hirundo.precision.PrecisionStrategy;
import io.hirundo.strategy.NoOptions;
import io.hirundo.tensor.DType;
import io.hirundo.testkit.HirundoContract;
import io.hirundo.testkit.PrecisionContract;
import org.junit.jupiter.api.Test;

@HirundoContract
class Fp32Test implements PrecisionContract {
    @Override
    public PrecisionStrategy strategy() {
        return new Fp32Factory().create(new NoOptions());
    }

    @Override
    public ComputeBackend backend() {
        return new CpuBackendFactory().create(new CpuOptions(1, CpuOptions.VECTOR));
    }

    @Test
    void usesFp32Everywhere() {
        assertEquals(DType.FP32, strategy().parameterType());
        assertEquals(DType.FP32, strategy().activationType());
    }
}
