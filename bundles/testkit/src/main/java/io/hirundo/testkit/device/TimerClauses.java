package io.hirundo.testkit.device;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.device.Device;
import io.hirundo.device.KernelTimer;
import io.hirundo.device.KernelTimes;
import io.hirundo.device.KernelTimes.KernelTime;
import io.hirundo.kernel.ElementwiseKernels;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Tensor;
import io.hirundo.testkit.bench.Bench;
import io.hirundo.testkit.bench.Clause;
import io.hirundo.testkit.bench.OnDevice;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;

/** Clauses on kernel times, for devices that time kernels. */
public interface TimerClauses extends OnDevice {
    @Clause(
            value =
                    "If a device times kernels, it has one timer at a time, which reports the kernels between its start and end",
            remedy =
                    "timeKernels() and KernelTimer: IllegalStateException for a second timer and from times() of a closed one; each name "
                            + "once, longest first; busyNanos within spanNanos; a new timer starts without earlier kernels")
    default void kernelsAreTimed(Bench bench) {
        ElementwiseKernels kernels = bench.device().kernels().elementwise();
        Tensor x = bench.tensor(DType.FP32, i -> 1, 1000);
        Runnable work = () -> {
            for (int i = 0; i < 3; i++) {
                kernels.scale(bench.queue(), x, 2);
            }
            kernels.fill(bench.queue(), x, 1);
        };
        Optional<Long> launches = launches(bench, work);
        work.run();
        assertEquals(launches, launches(bench, work), "launches of the same work, timed by another timer");
    }

    /** Number of kernel launches of some work; empty if the device does not time kernels. */
    private static Optional<Long> launches(Bench bench, Runnable work) {
        Device device = bench.device();
        Optional<KernelTimer> begun = device.timeKernels();
        if (begun.isEmpty()) {
            return Optional.empty();
        }
        KernelTimes times;
        try (KernelTimer timer = begun.get()) {
            assertThrows(IllegalStateException.class, device::timeKernels, "a second timer while one is open");
            assertEquals(List.of(), timer.times().kernels(), "kernels before the first launch");
            work.run();
            times = timer.times();
        }
        assertThrows(IllegalStateException.class, begun.get()::times, "times of a closed timer");
        requireSound(times);
        return Optional.of(
                times.kernels().stream().mapToLong(KernelTime::launches).sum());
    }

    private static void requireSound(KernelTimes times) {
        assertFalse(times.kernels().isEmpty(), "no kernels were timed");
        var names = new HashSet<String>();
        long most = Long.MAX_VALUE;
        for (KernelTime each : times.kernels()) {
            assertTrue(names.add(each.name()), () -> each.name() + " is listed twice: " + times);
            assertTrue(each.launches() > 0 && each.nanos() >= 0, () -> each + " has no launches or a negative time");
            assertTrue(each.nanos() <= most, () -> each.name() + " is longer than the one listed before: " + times);
            most = each.nanos();
        }
        assertTrue(
                times.busyNanos() >= 0 && times.busyNanos() <= times.spanNanos(),
                () -> "busy for longer than the span: " + times);
    }
}
