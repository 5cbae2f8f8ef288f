package io.hirundo.devicecuda.internal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.device.KernelTimes;
import io.hirundo.device.KernelTimes.KernelTime;
import io.hirundo.devicecuda.internal.fixture.StubCuda;
import io.hirundo.devicecuda.internal.fixture.StubTraining;
import io.hirundo.event.TrainingEvent.KernelsTimed;
import io.hirundo.event.TrainingEvent.StepCompleted;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Driver calls of a training step. */
class TrainingStepTest {
    /** Duration of a kernel on the stub. */
    private static final long STUB_NANOS = 2_000_000;

    @TempDir
    private Path folder;

    private StubCuda stub;

    @BeforeEach
    void stub() {
        stub = StubCuda.orSkip();
    }

    /** Calls of a step, and the pieces of work that were pending when the trainer knew its loss. */
    private record Step(int eventWaits, int streamWaits, int launches, int pending) {}

    private List<Step> steps(int layers, int count) {
        var steps = new ArrayList<Step>();
        var before = new int[3];
        new StubTraining(stub, folder).run(layers, count, Map.of("samples", 1), event -> {
            if (event instanceof StepCompleted) {
                int[] now = {
                    stub.calls("cuEventSynchronize"), stub.calls("cuStreamSynchronize"), stub.calls("cuLaunchKernel")
                };
                steps.add(new Step(now[0] - before[0], now[1] - before[1], now[2] - before[2], stub.pending()));
                System.arraycopy(now, 0, before, 0, now.length);
            }
        });
        return steps;
    }

    @Test
    void waitsOnlyForLossAndNorm() {
        List<Step> steady = steps(1, 4).subList(2, 4);
        for (Step step : steady) {
            assertEquals(1, step.eventWaits, "the arrival of loss and norm");
            assertEquals(1, step.streamWaits, "the end of the queue that read them, which has nothing else to do");
            assertTrue(step.pending >= 2, "the host continues while the weights are updated");
        }
        assertEquals(1, new HashSet<>(steady).size(), steady.toString());
        int launches = steady.getLast().launches;
        assertTrue(launches <= 100, "launches of a step of one layer and two microbatches: " + launches);
        int ofLayer = steps(2, 3).getLast().launches - launches;
        assertTrue(ofLayer <= 2 * 30, "launches of a layer, forward and backward of two microbatches: " + ofLayer);
    }

    /** The first step is not timed, and neither are the others in between. */
    @Test
    void timesKernelsAtTheConfiguredSteps() {
        var timed = new ArrayList<KernelsTimed>();
        var launches = new ArrayList<Integer>();
        var measurements = new ArrayList<Integer>();
        new StubTraining(stub, folder).run(1, 4, Map.of("samples", 1, "kernelTimesEverySteps", 2), event -> {
            if (event instanceof KernelsTimed kernels) {
                timed.add(kernels);
            } else if (event instanceof StepCompleted) {
                launches.add(stub.calls("cuLaunchKernel"));
                measurements.add(stub.calls("cuEventElapsedTime"));
            }
        });
        assertEquals(List.of(2L, 4L), timed.stream().map(KernelsTimed::step).toList());
        assertEquals(measurements.get(1), measurements.get(2), "at other steps nothing is timed");
        assertEquals(timed.getFirst().times(), timed.getLast().times(), "the stub's kernels take the same each time");
        KernelTimes times = timed.getFirst().times();
        long count = times.kernels().stream().mapToLong(KernelTime::launches).sum();
        assertEquals(launches.get(1) - launches.get(0), count, "all of the step, and none of others");
        for (KernelTime each : times.kernels()) {
            assertEquals(each.launches() * STUB_NANOS, each.nanos(), each.name());
        }
        assertTrue(
                times.kernels().contains(new KernelTime("optimizer.adamw_f32", 2, 2 * STUB_NANOS)), times.toString());
        assertEquals(count * STUB_NANOS, times.busyNanos(), "in one queue nothing overlaps");
        assertTrue(times.spanNanos() > times.busyNanos(), "copies of batches are between kernels");
    }
}
