package io.hirundo.gpusuite.internal.part;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.devicecpu.internal.CpuBackendFactory;
import io.hirundo.devicecpu.internal.CpuOptions;
import io.hirundo.gpusuite.internal.bench.AlternativeTimes;
import io.hirundo.gpusuite.internal.kernels.AlternativeKernelsPart;
import io.hirundo.gpusuite.internal.kernels.KernelCase;
import io.hirundo.gpusuite.internal.kernels.KernelCases;
import io.hirundo.gpusuite.internal.kernels.KernelPart;
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

/** The suite reports failures and continues. */
class GpuSuiteTest {
    static final int LIMIT_SECONDS = 7;

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
            public Finding run(TimeBudget allowance, Consumer<String> progress) {
                return found.get();
            }
        };
    }

    @Test
    void continuesAfterADefectOfAPart() {
        try (var cpu = new CpuBackendFactory().create(new CpuOptions()).open(0, new UnaccountedLedger())) {
            Part defective = part("defective", () -> {
                throw new IllegalArgumentException("x has another shape");
            });
            Part later = part("later", () -> new Part.Finding("much", List.of(), ""));
            var progress = new ArrayList<String>();
            var results = new GpuSuite(List.of(defective, later), cpu, false, () -> 0, new CtrlC())
                    .run(progress::add, report -> {}, () -> processIsEnded.set(true));
            assertEquals(List.of("x has another shape"), results.failures());
            assertEquals(
                    List.of(
                            "defective",
                            "defective: " + results.failures().getFirst(),
                            "defective: failed",
                            "later",
                            "later: much"),
                    progress);
        }
    }

    /** The report contains the results so far. */
    @Test
    void writesAReportOnInterruption() {
        try (var cpu = new CpuBackendFactory().create(new CpuOptions()).open(0, new UnaccountedLedger());
                var other = new CpuBackendFactory().create(new CpuOptions()).open(0, new UnaccountedLedger())) {
            var ctrlC = new CtrlC();
            var interrupting = new KernelCase("interrupting", 0, (trial, kernels) -> {
                ctrlC.press();
                return List.of();
            });
            List<Part> parts = List.of(
                    new KernelPart(List.of(fill("first", 3, 3), interrupting, fill("last", 3, 3)), cpu, other),
                    part("later", () -> new Part.Finding("much", List.of(), "")));
            var reports = new ArrayList<String>();
            var results = new GpuSuite(parts, other, true, () -> 0, ctrlC)
                    .run(line -> {}, reports::add, () -> processIsEnded.set(true));

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
    void cutsCasesWhenTheTimeIsOver() {
        try (var cpu = new CpuBackendFactory().create(new CpuOptions()).open(0, new UnaccountedLedger());
                var other = new CpuBackendFactory().create(new CpuOptions()).open(0, new UnaccountedLedger())) {
            var seconds = new long[1];
            // The budget is checked at its start and before each case.
            var allowance = new TimeBudget(3, () -> seconds[0]++ * 1_000_000_000);
            var cases = List.of(fill("first", 3, 3), fill("second", 3, 3), fill("third", 3, 3), fill("last", 3, 3));
            var found = new KernelPart(cases, cpu, other).run(allowance, line -> {});
            assertEquals("2 of 4 cases agree with the reference; 2 were not run for want of time", found.summary());
        }
    }

    @Test
    void comparesKernelsBehindOptions() {
        var asked = new ArrayList<Choice>();
        var registry = new StrategyRegistry() {
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
        try (var cpu = new CpuBackendFactory().create(new CpuOptions()).open(0, new UnaccountedLedger())) {
            var cases = List.of(fill("same", 3, 3), fill("other", 3, 3.001));
            var chosen = new Choice("cuda", Map.of("toolkit", "here"));
            var times = new AlternativeTimes("nothing", List.of(), null);
            var found = AlternativeKernelsPart.products(registry, chosen, cpu, cases, times)
                    .run(new TimeBudget(1, () -> 0), line -> {});
            assertEquals("1 of 2 cases agree with the reference", found.summary());
            AlternativeKernelsPart.attention(registry, chosen, cpu, cases, times)
                    .run(new TimeBudget(1, () -> 0), line -> {});
            assertEquals(
                    List.of(
                            new Choice("cuda", Map.of("toolkit", "here", "gemm", "own")),
                            new Choice("cuda", Map.of("toolkit", "here", "attention", "warps"))),
                    asked);
        }
    }
}
