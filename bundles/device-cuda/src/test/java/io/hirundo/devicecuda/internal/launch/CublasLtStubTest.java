package io.hirundo.devicecuda.internal.launch;

import io.hirundo.devicecuda.internal.CudaOptions;
import io.hirundo.devicecuda.internal.fixture.StubCuda;
import io.hirundo.testkit.bench.Bench;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** A device with the cuBLASLt stub, which is reset after each test. */
abstract class CublasLtStubTest {
    StubCuda stub;

    @BeforeEach
    void stub() {
        stub = StubCuda.orSkip();
    }

    @AfterEach
    void asItWas() {
        if (stub != null) {
            stub.becomeCublasLt(130_000, false);
            stub.failCublasLt(-1, 0);
        }
    }

    Bench bench() {
        return Bench.open(stub.backend(CudaOptions.CUBLASLT, Path.of(stub.toolkit())));
    }
}
