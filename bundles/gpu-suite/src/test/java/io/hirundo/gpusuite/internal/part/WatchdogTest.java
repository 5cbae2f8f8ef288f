package io.hirundo.gpusuite.internal.part;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.devicecpu.internal.CpuBackendFactory;
import io.hirundo.devicecpu.internal.CpuOptions;
import io.hirundo.testkit.CtrlC;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Work that does not end is reported, and then the process is ended. */
class WatchdogTest {
    /** Only another thread can report a kernel that does not end. */
    @Test
    @Timeout(60)
    void namesLongWorkOnce() throws InterruptedException {
        var said = new LinkedBlockingQueue<String>();
        var allowance = new TimeBudget(1, () -> 0);
        allowance.begins("attention");
        assertEquals(Optional.empty(), allowance.longerThan(3600));
        var givenUp = new LinkedBlockingQueue<String>();
        try (var _ = new Watchdog("kernels", allowance, 0, said::add, 3600, givenUp::add)) {
            assertEquals("kernels: attention has run for 0 s", said.take());
            allowance.begins("norm");
            assertEquals("kernels: norm has run for 0 s", said.take());
        }
        assertEquals(List.of(), List.copyOf(said));
        assertEquals(List.of(), List.copyOf(givenUp));
    }

    /** Only the end of the process stops such a kernel. */
    @Test
    @Timeout(60)
    void endsTheSuiteWithAReportIfAKernelDoesNotEnd() throws InterruptedException {
        var reports = new LinkedBlockingQueue<String>();
        var ended = new CountDownLatch(1);
        Part endless = new Part() {
            @Override
            public String name() {
                return "kernels";
            }

            @Override
            public int limitSeconds() {
                return GpuSuiteTest.LIMIT_SECONDS;
            }

            @Override
            public int longestPieceSeconds() {
                return 0;
            }

            @Override
            public Finding run(TimeBudget allowance, Consumer<String> progress) {
                allowance.begins("attention of many keys");
                try {
                    ended.await();
                } catch (InterruptedException interrupted) {
                    throw new IllegalStateException(interrupted);
                }
                return new Finding("never heard of", List.of(), "");
            }
        };
        try (var cpu = new CpuBackendFactory().create(new CpuOptions()).open(0, new UnaccountedLedger())) {
            List<Part> parts = List.of(
                    GpuSuiteTest.part("first", () -> new Part.Finding("much", List.of(), "")),
                    endless,
                    GpuSuiteTest.part("last", () -> new Part.Finding("", List.of(), "")));
            var said = new LinkedBlockingQueue<String>();
            Runnable end = () -> {
                said.add("the end");
                ended.countDown();
            };
            var suite = new GpuSuite(parts, cpu, true, () -> 0, new CtrlC());
            suite.run(said::add, reports::add, end);
            String line;
            do {
                line = said.take();
            } while (!line.startsWith("kernels: attention"));
            assertEquals(
                    "kernels: attention of many keys does not end, the suite is ended; --without leaves out kernels by their names",
                    line);
            assertEquals("the end", said.take());
            String report = List.copyOf(reports).get(2);
            assertTrue(
                    report.contains(
                            "| first | much | 0.0 | 7 |\n| kernels | does not end: attention of many keys has run for 0 s | "),
                    report);
            assertTrue(report.contains("| last | not run: a part before does not end | 0.0 | 7 |\n"), report);
            assertTrue(report.contains("\n## kernels\n\n- attention of many keys has run for 0 s\n"), report);
        }
    }
}
