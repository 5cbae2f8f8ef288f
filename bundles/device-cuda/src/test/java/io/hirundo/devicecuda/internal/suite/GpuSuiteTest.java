package io.hirundo.devicecuda.internal.suite;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.DeviceException;
import io.hirundo.devicecpu.internal.CpuBackendFactory;
import io.hirundo.devicecpu.internal.CpuOptions;
import io.hirundo.devicecuda.internal.StubCuda;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The suite finds what is wrong, and goes on. */
class GpuSuiteTest {
  private static final long COPIED_BYTES = 9 << 20;
  private static final int ILLEGAL_ADDRESS = 700;

  private static KernelCase fill(String name, double first, double second) {
    var calls = new ArrayList<String>();
    return new KernelCase(name, KernelCases.FP32, (trial, kernels) -> {
      Tensor x = trial.empty(DType.FP32, 5);
      calls.add(name);
      kernels.elementwise().fill(trial.queue(), x, calls.size() == 1 ? first : second);
      return List.of(x);
    });
  }

  private static final KernelCase BROKEN =
      new KernelCase("broken", 0, (trial, kernels) -> {
        throw new DeviceException("it does not compile");
      });

  @Test
  void reportsWhatDiffersAndWhatFails() {
    var cases = List.of(fill("same", 3, 3 + 1e-7), fill("other", 3, 3.001), BROKEN, fill("nothing", 3, Double.NaN), fill("last", 4, 4));
    try (var cpu = new CpuBackendFactory().create(new CpuOptions()).open(0, new Unbooked());
        var gpu = StubCuda.orSkip().backend().open(0, new Unbooked())) {
      var progress = new ArrayList<String>();
      var results = new GpuSuite(cases, COPIED_BYTES).run(cpu, gpu, progress::add);
      assertEquals(
          List.of(
              "other: result 0 at 0: expected 3.0, is 3.000999927520752", "broken: it does not compile",
              "nothing: result 0 at 0: expected 3.0, is NaN"),
          results.failures());
      assertEquals(results.failures(), progress);
      String report = results.report();
      assertTrue(report.contains("2 of 5 kernel cases agree with the CPU's reference on NVIDIA H200 (stub)."), report);
      assertTrue(report.contains("- broken: it does not compile"), report);
      assertTrue(report.matches("(?s).*\\| from the GPU \\| [0-9.]+ \\|.*"), report);
    }
  }

  @Test
  void endsWithAReportWhereAKernelBreaksTheContext() {
    StubCuda stub = StubCuda.orSkip();
    var breaking =
        new KernelCase("breaking", 0, (trial, kernels) -> {
          // The driver's answer to every call from here on; the stub's to the next of these.
          stub.fail("cuStreamCreate", ILLEGAL_ADDRESS);
          throw new DeviceException("it reads where it must not");
        });
    try (var cpu = new CpuBackendFactory().create(new CpuOptions()).open(0, new Unbooked());
        var gpu = stub.backend().open(0, new Unbooked())) {
      // The reference runs a case first, and on the CPU this one is no better.
      var cases = List.of(fill("same", 3, 3), breaking, fill("later", 3, 3), fill("last", 3, 3));
      var results = new GpuSuite(cases, COPIED_BYTES).run(cpu, gpu, line -> {});
      assertEquals(List.of("breaking: it reads where it must not"), results.failures());
      assertEquals(2, results.notRun());
      String report = results.report();
      assertTrue(report.contains("1 of 4 kernel cases agree"), report);
      assertTrue(report.contains("the GPU does not work since the last failure, and 2 cases were not run"), report);
      assertFalse(report.contains("Copies"), report);
    }
  }
}
