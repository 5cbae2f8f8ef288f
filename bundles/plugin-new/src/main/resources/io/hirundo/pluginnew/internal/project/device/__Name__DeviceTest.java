package __package__;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.hirundo.device.ComputeBackend;
import io.hirundo.tensor.DType;
import io.hirundo.testkit.DeviceContract;
import io.hirundo.testkit.HirundoContract;
import io.hirundo.testkit.bench.Bench;
import io.hirundo.testkit.scalar.ScalarBackend;
import org.junit.jupiter.api.Test;

/**
 * The contract of a device, one test per clause, on the testkit's reference device with scalar loops. That device fills new memory with
 * NaNs and rejects closed tensors.
 */
@HirundoContract
class __Name__DeviceTest implements DeviceContract {
    @Override
    public ComputeBackend backend() {
        return new __Name__Backend(new ScalarBackend());
    }

    @Test
    void countsGemms() {
        try (Bench bench = Bench.open(new ScalarBackend())) {
            var gemm = new __Name__Gemm(bench.device().kernels().gemm());
            var aMK = bench.tensor(DType.FP32, i -> i, 2, 3);
            var bNK = bench.tensor(DType.FP32, i -> 1, 5, 3);
            var cMN = bench.tensor(DType.FP32, i -> 0, 2, 5);
            gemm.multiplyNT(bench.queue(), aMK, bNK, cMN, false);
            assertEquals(3, bench.read(cMN)[0]);
            assertEquals("1 GEMMs, 0.000 GFLOP", gemm.summary().split(" in ")[0]);
        }
    }
}
