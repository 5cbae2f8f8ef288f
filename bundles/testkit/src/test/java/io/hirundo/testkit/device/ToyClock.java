package io.hirundo.testkit.device;

import io.hirundo.device.KernelTimer;
import io.hirundo.device.KernelTimes;
import io.hirundo.device.KernelTimes.KernelTime;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** The clock of a device whose kernels take a microsecond each, one after the other. Mutants extend it. */
class ToyClock {
    final Map<String, Long> launches = new TreeMap<>();
    private KernelTimer open;

    void launched(String kernel) {
        if (open != null) {
            launches.merge(kernel, 1L, Long::sum);
        }
    }

    KernelTimer start() {
        if (open != null) {
            throw new IllegalStateException("a timer is open");
        }
        open = new KernelTimer() {
            @Override
            public KernelTimes times() {
                requireOpen(open == this);
                return ToyClock.this.times();
            }

            @Override
            public void close() {
                open = null;
                forget();
            }
        };
        return open;
    }

    void requireOpen(boolean isOpen) {
        if (!isOpen) {
            throw new IllegalStateException("the timer is closed");
        }
    }

    void forget() {
        launches.clear();
    }

    KernelTimes times() {
        long nanos =
                1000 * launches.values().stream().mapToLong(Long::longValue).sum();
        return new KernelTimes(kernels(), nanos, nanos);
    }

    List<KernelTime> kernels() {
        return launches.entrySet().stream()
                .map(each -> new KernelTime(each.getKey(), each.getValue(), 1000 * each.getValue()))
                .sorted(Comparator.comparingLong(KernelTime::nanos).reversed())
                .toList();
    }
}
