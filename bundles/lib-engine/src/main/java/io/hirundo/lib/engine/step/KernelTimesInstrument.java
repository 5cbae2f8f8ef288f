package io.hirundo.lib.engine.step;

import io.hirundo.device.Device;
import io.hirundo.device.KernelTimer;
import io.hirundo.device.KernelTimes;
import java.util.Optional;

/** Lets a device time the kernels of a step. */
public final class KernelTimesInstrument implements StepInstrument {
    private final Device device;
    private Optional<KernelTimer> timer = Optional.empty();
    private Optional<KernelTimes> times = Optional.empty();

    public KernelTimesInstrument(Device device) {
        this.device = device;
    }

    @Override
    public void begin(long step) {
        timer = device.timeKernels();
    }

    @Override
    public void end() {
        times = timer.map(KernelTimer::times);
        abandon();
    }

    @Override
    public void abandon() {
        timer.ifPresent(KernelTimer::close);
        timer = Optional.empty();
    }

    /** The device times the launches of a graph, too. */
    @Override
    public boolean allowsGraphCapture() {
        return true;
    }

    /** Of the step that has ended; empty where the device cannot time kernels. */
    public Optional<KernelTimes> times() {
        return times;
    }
}
