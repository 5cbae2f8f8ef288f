package io.hirundo.testkit.fabric;

import io.hirundo.device.ComputeBackend;
import io.hirundo.device.Device;
import io.hirundo.device.DeviceInfo;
import io.hirundo.device.DeviceLedger;
import io.hirundo.device.MemoryProfile;
import io.hirundo.kernel.ElementwiseKernels;
import io.hirundo.kernel.Kernels;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

/** A device whose sums take more than a second: on a busy machine a rank needs a good part of it to notice the end of its world. */
final class SlowSums implements ComputeBackend {
    private static final long NANOS = 1_500_000_000;

    final CountDownLatch begun = new CountDownLatch(2);
    private final Map<Device, AtomicInteger> running = Collections.synchronizedMap(new IdentityHashMap<>());
    private final ComputeBackend real;

    SlowSums(ComputeBackend real) {
        this.real = real;
    }

    @Override
    public List<DeviceInfo> devices() {
        return real.devices();
    }

    @Override
    public MemoryProfile memoryProfile() {
        return real.memoryProfile();
    }

    /** Number of sums that run on a device now. */
    int running(Device device) {
        return running.get(device).get();
    }

    /** Number of sums that run on any device now. */
    int running() {
        return running.values().stream().mapToInt(AtomicInteger::get).sum();
    }

    @Override
    public Device open(int ordinal, DeviceLedger ledger) {
        Device device = real.open(ordinal, ledger);
        var own = new AtomicInteger();
        var elementwise = Substitute.like(
                ElementwiseKernels.class, device.kernels().elementwise(), "add", (call, arguments) -> sum(call, own));
        var kernels = Substitute.like(Kernels.class, device.kernels(), "elementwise", (call, arguments) -> elementwise);
        Device slow = Substitute.like(Device.class, device, "kernels", (call, arguments) -> kernels);
        running.put(slow, own);
        return slow;
    }

    private Object sum(Substitute.Real call, AtomicInteger own) throws Throwable {
        own.incrementAndGet();
        begun.countDown();
        long end = System.nanoTime() + NANOS;
        while (System.nanoTime() - end < 0) {
            Thread.interrupted();
            LockSupport.parkNanos(end - System.nanoTime());
        }
        try {
            return call.call();
        } finally {
            own.decrementAndGet();
        }
    }
}
