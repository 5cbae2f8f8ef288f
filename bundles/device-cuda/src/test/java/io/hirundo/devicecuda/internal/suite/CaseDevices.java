package io.hirundo.devicecuda.internal.suite;

import io.hirundo.device.ComputeBackend;
import io.hirundo.device.Device;
import io.hirundo.devicecpu.internal.CpuBackendFactory;
import io.hirundo.devicecpu.internal.CpuOptions;
import io.hirundo.devicecuda.internal.fixture.StubCuda;
import io.hirundo.gpusuite.internal.kernels.KernelComparison;
import io.hirundo.testkit.bench.Books;
import java.util.ArrayDeque;
import java.util.Deque;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/** Devices that compute the suite's cases, open for all tests of a class: the scalar reference of device-cpu and emulated GPUs. */
final class CaseDevices implements BeforeAllCallback, AfterAllCallback {
    private final Deque<AutoCloseable> open = new ArrayDeque<>();
    private StubCuda stub;
    private Device reference;

    /** Skips the class without the emulation. */
    @Override
    public void beforeAll(ExtensionContext context) {
        stub = StubCuda.orSkip();
        reference = opened(new CpuBackendFactory().create(new CpuOptions(1, CpuOptions.REFERENCE)));
    }

    StubCuda stub() {
        return stub;
    }

    /** Compares an emulated GPU with the reference. */
    KernelComparison comparison(ComputeBackend emulated) {
        var comparison = new KernelComparison(reference, opened(emulated));
        open.push(comparison);
        return comparison;
    }

    private Device opened(ComputeBackend backend) {
        Device device = backend.open(0, new Books());
        open.push(device);
        return device;
    }

    @Override
    public void afterAll(ExtensionContext context) throws Exception {
        while (!open.isEmpty()) {
            open.pop().close();
        }
    }
}
