package io.hirundo.trainer.internal.session;

import io.hirundo.device.Device;
import io.hirundo.device.KernelTimer;
import io.hirundo.device.KernelTimes;
import io.hirundo.lib.run.config.Intervals;
import java.util.Optional;
import java.util.function.Supplier;

/** Lets a device time its kernels in selected steps. */
final class StepKernelTimer {
    private Optional<KernelTimes> times = Optional.empty();

    /**
     * Runs a step's work.
     *
     * @param everySteps which steps are timed; 0 for none
     */
    <T> T time(Device device, long everySteps, long step, Supplier<T> work) {
        times = Optional.empty();
        if (!Intervals.isDue(step, everySteps)) {
            return work.get();
        }
        try (KernelTimer timer = device.timeKernels().orElse(null)) {
            T result = work.get();
            times = Optional.ofNullable(timer).map(KernelTimer::times);
            return result;
        }
    }

    /** Kernel times of the last step; empty where the device did not time it. */
    Optional<KernelTimes> times() {
        return times;
    }
}
