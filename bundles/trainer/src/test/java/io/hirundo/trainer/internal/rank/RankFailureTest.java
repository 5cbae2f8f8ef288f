package io.hirundo.trainer.internal.rank;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import io.hirundo.DataException;
import io.hirundo.devicecpu.internal.CpuBackendFactory;
import io.hirundo.devicecpu.internal.CpuOptions;
import io.hirundo.model.layer.Recompute;
import io.hirundo.trainer.internal.parity.Layouts;
import io.hirundo.trainer.internal.parity.Layouts.Extents;
import io.hirundo.trainer.internal.parity.Layouts.Layout;
import io.hirundo.trainer.internal.parity.Layouts.Ways;
import io.hirundo.trainer.internal.parity.StructuredTokens;
import io.hirundo.trainer.internal.session.LocalRun;
import java.time.Duration;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.parallel.Isolated;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** If one rank fails during a run, the run ends with its cause, and no thread is left. */
@Isolated("lists the threads of this process")
class RankFailureTest {
    /** Shorter than the deadline of a collective: a rank that does not learn of the failure waits until then. */
    private static final Duration AT_MOST = Duration.ofMinutes(2);

    /** A joined thread is still listed for a moment. */
    private static final Duration SOON = Duration.ofMinutes(1);

    @ParameterizedTest
    @CsvSource({"2,1,1,2,zero1", "1,2,1,2,zero1", "1,1,2,2,zero1", "2,1,2,2,zero1", "1,1,1,4,fsdp"})
    void endsAllRanksWithItsCause(int tensor, int context, int pipeline, int data, String sharding) {
        var layout = new Layout(
                new Extents(tensor, context, pipeline, data),
                new Ways("1f1b", "ring", sharding, true, true),
                Recompute.NONE,
                1,
                false);
        Set<String> before = threads();

        assertTimeoutPreemptively(AT_MOST, () -> {
            var cpu = new CpuBackendFactory().create(new CpuOptions(1, CpuOptions.VECTOR));
            var strategies = Layouts.strategies(layout, cpu, request -> new Breaking());
            try (var run = LocalRun.open(Layouts.configuration(layout), strategies)) {
                run.step();
                var failure = assertThrows(DataException.class, run::step);
                assertEquals("the disk is gone", failure.getMessage());
                // The world has ended, so a further step fails without waiting.
                assertThrows(RuntimeException.class, run::step);
            }
        });
        assertTimeoutPreemptively(
                SOON,
                () -> {
                    while (!before.containsAll(threads())) {
                        Thread.sleep(10);
                    }
                },
                () -> "threads left behind: " + threads());
    }

    private static Set<String> threads() {
        return Thread.getAllStackTraces().keySet().stream()
                .map(Thread::getName)
                .filter(name -> name.startsWith("hirundo"))
                .collect(Collectors.toCollection(TreeSet::new));
    }

    /** Fails to read the samples of the last data-parallel rank in the second step. */
    private static final class Breaking extends StructuredTokens {
        @Override
        public void read(Split split, long index, int[] into) {
            if (index == 15) {
                throw new DataException("the disk is gone");
            }
            super.read(split, index, into);
        }
    }
}
