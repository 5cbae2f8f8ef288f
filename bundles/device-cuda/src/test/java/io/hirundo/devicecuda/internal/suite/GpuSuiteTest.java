package io.hirundo.devicecuda.internal.suite;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.DeviceException;
import io.hirundo.devicecpu.internal.CpuBackendFactory;
import io.hirundo.devicecpu.internal.CpuOptions;
import io.hirundo.devicecuda.internal.CudaTensor;
import io.hirundo.devicecuda.internal.StubCuda;
import io.hirundo.devicecuda.internal.suite.bench.OtherTimes;
import io.hirundo.strategy.Choice;
import io.hirundo.strategy.StrategyInfo;
import io.hirundo.strategy.StrategyRegistry;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Tensor;
import io.hirundo.testkit.CtrlC;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The suite finds what is wrong, and goes on. */
class GpuSuiteTest {
  static final int LIMIT_SECONDS = 7;
  private static final int ILLEGAL_ADDRESS = 700;

  private final AtomicBoolean processIsEnded = new AtomicBoolean();

  @AfterEach
  void nothingEndsTheProcess() {
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

  private static final KernelCase BROKEN =
      new KernelCase("broken", 0, (trial, kernels) -> {
        throw new DeviceException("it does not compile");
      });

  static Part part(String name, Supplier<Part.Finding> found) {
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
      public Finding run(Allowance allowance, Consumer<String> progress) {
        return found.get();
      }
    };
  }

  @Test
  void reportsWhatDiffersAndWhatFails() {
    var cases = List.of(fill("same", 3, 3 + 1e-7), fill("other", 3, 3.001), BROKEN, fill("nothing", 3, Double.NaN), fill("last", 4, 4));
    try (var cpu = new CpuBackendFactory().create(new CpuOptions()).open(0, new Unbooked());
        var gpu = StubCuda.orSkip().backend().open(0, new Unbooked())) {
      var progress = new ArrayList<String>();
      List<Part> parts = List.of(new KernelPart(cases, cpu, gpu), part("more", () -> new Part.Finding("much", List.of(), "a table\n")));
      var reports = new ArrayList<String>();
      var results = new GpuSuite(parts, gpu, true, () -> 0, new CtrlC()).run(progress::add, reports::add, () -> processIsEnded.set(true));
      assertEquals(
          List.of(
              "other: result 0 at 0: expected 3.0, is 3.000999927520752", "broken: it does not compile",
              "nothing: result 0 at 0: expected 3.0, is NaN"),
          results.failures());
      assertEquals(
          List.of(
              "kernels: 105 s at most", results.failures().get(0), results.failures().get(1), results.failures().get(2),
              "kernels: 2 of 5 cases agree with the reference", "more: 7 s at most", "more: much"),
          progress);
      assertEquals(List.of(), results.cut());
      assertEquals(3, reports.size(), "before the first part, and after each");
      String report = reports.getLast();
      assertTrue(report.startsWith("# gpu-suite\n\nNVIDIA H200 (stub), sm_90a, 3 multiprocessors.\n\ndriver for CUDA 13.0, products"), report);
      assertTrue(report.contains("| kernels | 2 of 5 cases agree with the reference | 0.0 | 105 |\n| more | much | 0.0 | 7 |\n"), report);
      assertTrue(report.contains("\n## kernels\n\n- other: "), report);
      assertTrue(report.contains("\n- broken: it does not compile\n"), report);
      assertTrue(report.endsWith("\n## more\n\na table\n"), report);
    }
  }

  @Test
  void endsWithAReportWhereAKernelBreaksTheContext() {
    StubCuda stub = StubCuda.orSkip();
    var breaking =
        new KernelCase("breaking", 0, (trial, kernels) -> {
          Tensor x = trial.empty(DType.FP32, 5);
          if (x instanceof CudaTensor) {
            stub.breakContext(ILLEGAL_ADDRESS);
          }
          return List.of(x);
        });
    try (var cpu = new CpuBackendFactory().create(new CpuOptions()).open(0, new Unbooked());
        var gpu = stub.backend().open(0, new Unbooked())) {
      var cases = List.of(fill("same", 3, 3), breaking, fill("later", 3, 3), fill("last", 3, 3));
      Part.Finding found;
      try {
        found = new KernelPart(cases, cpu, gpu).run(new Allowance(1, () -> 0), line -> {});
      } finally {
        stub.breakContext(0);
      }
      assertEquals(List.of("breaking: CUDA: cuMemcpyDtoHAsync failed: CUDA_ERROR_ILLEGAL_ADDRESS"), found.failures());
      assertEquals(
          "1 of 4 cases agree with the reference; the GPU does not work since the last failure; 2 were not run", found.summary());
    }
  }

  /** The parts after it are not tried, and the report says so. */
  @Test
  void noPartIsRunOnABrokenGpu() {
    StubCuda stub = StubCuda.orSkip();
    try (var gpu = stub.backend().open(0, new Unbooked())) {
      Part breaking =
          part("breaking", () -> {
            stub.fail("cuStreamCreate", ILLEGAL_ADDRESS);
            throw new DeviceException("it reads where it must not");
          });
      Part later = part("later", () -> new Part.Finding("much", List.of(), ""));
      var progress = new ArrayList<String>();
      var reports = new ArrayList<String>();
      var results = new GpuSuite(List.of(breaking, later), gpu, false, () -> 0, new CtrlC()).run(progress::add, reports::add, () -> processIsEnded.set(true));
      assertEquals(List.of("it reads where it must not"), results.failures());
      assertEquals(
          List.of(
              "breaking", "breaking: it reads where it must not", "breaking: failed",
              "later: not run: the GPU does not work since a failure before"),
          progress);
      assertEquals(List.of("breaking", "later"), results.cut());
      String report = reports.getLast();
      assertTrue(report.contains("| later | not run: the GPU does not work since a failure before | 0.0 | none |\n"), report);
    }
  }

  @Test
  void aDefectOfAPartIsNotTheEndOfTheReport() {
    try (var cpu = new CpuBackendFactory().create(new CpuOptions()).open(0, new Unbooked())) {
      Part defective =
          part("defective", () -> {
            throw new IllegalArgumentException("x has another shape");
          });
      Part later = part("later", () -> new Part.Finding("much", List.of(), ""));
      var progress = new ArrayList<String>();
      var results = new GpuSuite(List.of(defective, later), cpu, false, () -> 0, new CtrlC()).run(progress::add, report -> {}, () -> processIsEnded.set(true));
      assertEquals(List.of("java.lang.IllegalArgumentException: x has another shape"), results.failures());
      assertEquals(
          List.of("defective", "defective: " + results.failures().getFirst(), "defective: failed", "later", "later: much"), progress);
    }
  }

  /** What was found is in the report. */
  @Test
  void whoInterruptsGetsAReport() {
    try (var cpu = new CpuBackendFactory().create(new CpuOptions()).open(0, new Unbooked());
        var other = new CpuBackendFactory().create(new CpuOptions()).open(0, new Unbooked())) {
      var ctrlC = new CtrlC();
      var interrupting =
          new KernelCase("interrupting", 0, (trial, kernels) -> {
            ctrlC.press();
            return List.of();
          });
      List<Part> parts =
          List.of(
              new KernelPart(List.of(fill("first", 3, 3), interrupting, fill("last", 3, 3)), cpu, other),
              part("later", () -> new Part.Finding("much", List.of(), "")));
      var reports = new ArrayList<String>();
      var results = new GpuSuite(parts, other, true, () -> 0, ctrlC).run(line -> {}, reports::add, () -> processIsEnded.set(true));

      assertEquals(List.of("kernels", "later"), results.cut());
      String report = reports.getLast();
      assertTrue(
          report.contains(
              "| kernels | 2 of 3 cases agree with the reference; 1 were not run for want of time; ended by the user | 0.0 | 105 |\n"
                  + "| later | not run: ended by the user | 0.0 | 7 |\n"),
          report);
      assertEquals(0, ctrlC.listeners());
    }
  }

  @Test
  void casesThatDoNotFitAreCut() {
    try (var cpu = new CpuBackendFactory().create(new CpuOptions()).open(0, new Unbooked());
        var other = new CpuBackendFactory().create(new CpuOptions()).open(0, new Unbooked())) {
      var seconds = new long[1];
      // Begins, and is asked before each case.
      var allowance = new Allowance(3, () -> seconds[0]++ * 1_000_000_000);
      var cases = List.of(fill("first", 3, 3), fill("second", 3, 3), fill("third", 3, 3), fill("last", 3, 3));
      var found = new KernelPart(cases, cpu, other).run(allowance, line -> {});
      assertEquals("2 of 4 cases agree with the reference; 2 were not run for want of time", found.summary());
    }
  }

  @Test
  void kernelsThatAnOptionChoosesAreComparedToo() {
    var asked = new ArrayList<Choice>();
    var registry =
        new StrategyRegistry() {
          @Override
          public List<StrategyInfo> list() {
            return List.of();
          }

          @Override
          public <S> S create(Class<S> contract, Choice choice, String path) {
            asked.add(choice);
            return contract.cast(new CpuBackendFactory().create(new CpuOptions()));
          }
        };
    try (var cpu = new CpuBackendFactory().create(new CpuOptions()).open(0, new Unbooked())) {
      var cases = List.of(fill("same", 3, 3), fill("other", 3, 3.001));
      var chosen = new Choice("cuda", Map.of("toolkit", "here"));
      var times = new OtherTimes("nothing", List.of(), null);
      var found = OtherKernelsPart.products(registry, chosen, cpu, cases, times).run(new Allowance(1, () -> 0), line -> {});
      assertEquals("1 of 2 cases agree with the reference", found.summary());
      OtherKernelsPart.attention(registry, chosen, cpu, cases, times).run(new Allowance(1, () -> 0), line -> {});
      assertEquals(
          List.of(
              new Choice("cuda", Map.of("toolkit", "here", "gemm", "own")), new Choice("cuda", Map.of("toolkit", "here", "attention", "warps"))),
          asked);
    }
  }
}
