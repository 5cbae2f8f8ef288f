package io.hirundo.devicecuda.internal.suite;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.DeviceException;
import io.hirundo.devicecpu.internal.CpuBackendFactory;
import io.hirundo.devicecpu.internal.CpuOptions;
import io.hirundo.devicecuda.internal.fixture.StubCuda;
import io.hirundo.devicecuda.internal.memory.CudaTensor;
import io.hirundo.gpusuite.internal.kernels.KernelCase;
import io.hirundo.gpusuite.internal.kernels.KernelCases;
import io.hirundo.gpusuite.internal.kernels.KernelPart;
import io.hirundo.gpusuite.internal.part.GpuSuite;
import io.hirundo.gpusuite.internal.part.Part;
import io.hirundo.gpusuite.internal.part.TimeBudget;
import io.hirundo.gpusuite.internal.part.UnaccountedLedger;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Tensor;
import io.hirundo.testkit.CtrlC;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The suite on an emulated GPU with wrong kernels, or one that breaks. */
class GpuSuiteOnStubTest {
    private static final int LIMIT_SECONDS = 7;
    private static final int ILLEGAL_ADDRESS = 700;

    private final AtomicBoolean processIsEnded = new AtomicBoolean();

    @AfterEach
    void processWasNotEnded() {
        assertFalse(processIsEnded.get());
    }

    private static KernelCase fill(String name, double first, double second) {
        var calls = new ArrayList<String>();
        return new KernelCase(name, KernelCases.FP32, (trial, kernels) -> {
            Tensor x = trial.empty(DType.FP32, 5);
            calls.add(name);
            kernels.elementwise().fill(trial.queue(), x, calls.size() == 1 ? first : second);
            return List.of(x);
        });
    }

    private static final KernelCase BROKEN = new KernelCase("broken", 0, (trial, kernels) -> {
        throw new DeviceException("it does not compile");
    });

    private static Part part(String name, Supplier<Part.Finding> found) {
        return new Part() {
            @Override
            public String name() {
                return name;
            }

            @Override
            public int limitSeconds() {
                return LIMIT_SECONDS;
            }

            @Override
            public Finding run(TimeBudget allowance, Consumer<String> progress) {
                return found.get();
            }
        };
    }

    @Test
    void reportsDifferencesAndFailures() {
        var cases = List.of(
                fill("same", 3, 3 + 1e-7),
                fill("other", 3, 3.001),
                BROKEN,
                fill("nothing", 3, Double.NaN),
                fill("last", 4, 4));
        try (var cpu = new CpuBackendFactory().create(new CpuOptions()).open(0, new UnaccountedLedger());
                var gpu = StubCuda.orSkip().backend().open(0, new UnaccountedLedger())) {
            var progress = new ArrayList<String>();
            List<Part> parts = List.of(
                    new KernelPart(cases, cpu, gpu),
                    part("more", () -> new Part.Finding("much", List.of(), "a table\n")));
            var reports = new ArrayList<String>();
            var results = new GpuSuite(parts, gpu, true, () -> 0, new CtrlC())
                    .run(progress::add, reports::add, () -> processIsEnded.set(true));
            assertEquals(
                    List.of(
                            "other: result 0 at 0: expected 3.0, is 3.000999927520752",
                            "broken: it does not compile",
                            "nothing: result 0 at 0: expected 3.0, is NaN"),
                    results.failures());
            assertEquals(
                    List.of(
                            "kernels: 105 s at most",
                            results.failures().get(0),
                            results.failures().get(1),
                            results.failures().get(2),
                            "kernels: 2 of 5 cases agree with the reference",
                            "more: 7 s at most",
                            "more: much"),
                    progress);
            assertEquals(List.of(), results.cut());
            assertEquals(3, reports.size(), "before the first part, and after each");
            String report = reports.getLast();
            assertTrue(
                    report.startsWith(
                            "# gpu-suite\n\nNVIDIA H200 (stub), sm_90a, 3 multiprocessors.\n\ndriver for CUDA 13.0, GEMMs"),
                    report);
            assertTrue(
                    report.contains(
                            "| kernels | 2 of 5 cases agree with the reference | 0.0 | 105 |\n| more | much | 0.0 | 7 |\n"),
                    report);
            assertTrue(report.contains("\n## kernels\n\n- other: "), report);
            assertTrue(report.contains("\n- broken: it does not compile\n"), report);
            assertTrue(report.endsWith("\n## more\n\na table\n"), report);
        }
    }

    @Test
    void writesAReportIfAKernelBreaksTheContext() {
        StubCuda stub = StubCuda.orSkip();
        var breaking = new KernelCase("breaking", 0, (trial, kernels) -> {
            Tensor x = trial.empty(DType.FP32, 5);
            if (x instanceof CudaTensor) {
                stub.breakContext(ILLEGAL_ADDRESS);
            }
            return List.of(x);
        });
        try (var cpu = new CpuBackendFactory().create(new CpuOptions()).open(0, new UnaccountedLedger());
                var gpu = stub.backend().open(0, new UnaccountedLedger())) {
            var cases = List.of(fill("same", 3, 3), breaking, fill("later", 3, 3), fill("last", 3, 3));
            Part.Finding found;
            try {
                found = new KernelPart(cases, cpu, gpu).run(new TimeBudget(1, () -> 0), line -> {});
            } finally {
                stub.breakContext(0);
            }
            assertEquals(
                    List.of("breaking: CUDA: cuMemcpyDtoHAsync failed: CUDA_ERROR_ILLEGAL_ADDRESS"), found.failures());
            assertEquals(
                    "1 of 4 cases agree with the reference; the GPU does not work since the last failure; 2 were not run",
                    found.summary());
        }
    }

    /** The parts after it do not run, and the report says so. */
    @Test
    void runsNoPartOnABrokenGpu() {
        StubCuda stub = StubCuda.orSkip();
        try (var gpu = stub.backend().open(0, new UnaccountedLedger())) {
            Part breaking = part("breaking", () -> {
                stub.fail("cuStreamCreate", ILLEGAL_ADDRESS);
                throw new DeviceException("it reads where it must not");
            });
            Part later = part("later", () -> new Part.Finding("much", List.of(), ""));
            var progress = new ArrayList<String>();
            var reports = new ArrayList<String>();
            var results = new GpuSuite(List.of(breaking, later), gpu, false, () -> 0, new CtrlC())
                    .run(progress::add, reports::add, () -> processIsEnded.set(true));
            assertEquals(List.of("it reads where it must not"), results.failures());
            assertEquals(
                    List.of(
                            "breaking",
                            "breaking: it reads where it must not",
                            "breaking: failed",
                            "later: not run: the GPU does not work since a failure before"),
                    progress);
            assertEquals(List.of("breaking", "later"), results.cut());
            String report = reports.getLast();
            assertTrue(
                    report.contains("| later | not run: the GPU does not work since a failure before | 0.0 | none |\n"),
                    report);
        }
    }
}
