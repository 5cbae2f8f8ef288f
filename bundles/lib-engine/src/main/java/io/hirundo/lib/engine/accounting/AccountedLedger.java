package io.hirundo.lib.engine.accounting;

import io.hirundo.DeviceException;
import io.hirundo.device.ComputeBackend;
import io.hirundo.device.DeviceLedger;
import io.hirundo.device.MemoryCategory;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;

/** Memory and work accounting of one device: live and peak bytes by category, and the FLOPs and bytes that each kernel reports. */
public final class AccountedLedger implements DeviceLedger {
    /**
     * Total work of one kernel.
     *
     * @param calls the number of launches
     * @param flops floating-point operations
     * @param movedBytes bytes of operands and results
     */
    public record Work(long calls, long flops, long movedBytes) {}

    /** Work that still grows. */
    private static final class Sum {
        private long calls;
        private long flops;
        private long movedBytes;
    }

    private final long budgetBytes;
    private final Map<MemoryCategory, Long> live = new EnumMap<>(MemoryCategory.class);
    private final Map<MemoryCategory, Long> peak = new EnumMap<>(MemoryCategory.class);
    private final Map<String, Sum> work = new LinkedHashMap<>();
    private Map<MemoryCategory, Long> atPeak = Map.of();
    private long liveTotal;
    private long peakTotal;

    /** A ledger whose budget is the memory of the backend's first device. */
    public static AccountedLedger of(ComputeBackend backend) {
        var devices = backend.devices();
        return new AccountedLedger(devices.isEmpty() ? 0 : devices.getFirst().memoryBytes());
    }

    /** {@code budgetBytes}: a reservation that raises the live bytes above it fails. */
    public AccountedLedger(long budgetBytes) {
        this.budgetBytes = budgetBytes;
        for (MemoryCategory category : MemoryCategory.values()) {
            live.put(category, 0L);
            peak.put(category, 0L);
        }
    }

    @Override
    public synchronized void reserve(MemoryCategory category, long bytes) {
        // A difference, because the sum could overflow.
        if (bytes > budgetBytes - liveTotal) {
            throw new DeviceException(String.format(
                    Locale.ROOT,
                    "device memory: %,d bytes more for %s would exceed the budget of %,d (in use: %s); "
                            + "lower training.microBatch or training.sequenceTokens, or set training.recompute",
                    bytes,
                    category,
                    budgetBytes,
                    live));
        }
        liveTotal += bytes;
        peak.merge(category, live.merge(category, bytes, Long::sum), Math::max);
        if (liveTotal > peakTotal) {
            peakTotal = liveTotal;
            atPeak = Map.copyOf(live);
        }
    }

    @Override
    public synchronized void release(MemoryCategory category, long bytes) {
        liveTotal -= bytes;
        live.merge(category, -bytes, Long::sum);
    }

    @Override
    public synchronized void work(String kernel, long flops, long movedBytes) {
        Sum sum = work.computeIfAbsent(kernel, unseen -> new Sum());
        sum.calls++;
        sum.flops += flops;
        sum.movedBytes += movedBytes;
    }

    public synchronized Map<MemoryCategory, Long> liveBytes() {
        return Map.copyOf(live);
    }

    /** The peak of each category in bytes. The peaks of two categories may be at different times. */
    public synchronized Map<MemoryCategory, Long> peakBytes() {
        return Map.copyOf(peak);
    }

    /** The peak of the sum over all categories, in bytes. */
    public synchronized long peakTotalBytes() {
        return peakTotal;
    }

    /** What each category had when the sum over all categories first reached its peak, in bytes. Empty before the first reservation. */
    public synchronized Map<MemoryCategory, Long> bytesAtPeak() {
        return atPeak;
    }

    public synchronized Map<String, Work> work() {
        var works = new LinkedHashMap<String, Work>();
        work.forEach((kernel, sum) -> works.put(kernel, new Work(sum.calls, sum.flops, sum.movedBytes)));
        return works;
    }

    /** Clears the work counts, so that the next report covers only later kernels. */
    public synchronized void clearWork() {
        work.clear();
    }
}
