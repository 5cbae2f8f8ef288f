package io.hirundo.devicecuda.internal.stream;

import io.hirundo.device.KernelTimer;
import io.hirundo.device.KernelTimes;
import io.hirundo.device.KernelTimes.KernelTime;
import io.hirundo.devicecuda.internal.driver.Handles;
import io.hirundo.devicecuda.internal.event.CudaEvent;
import io.hirundo.devicecuda.internal.event.EventPool;
import io.hirundo.devicecuda.internal.graph.Call;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicReference;

/** Times a device's kernels on request, by an event before and after each kernel. Thread-safe. */
public final class KernelClock {
    private final EventPool events;
    private final AtomicReference<Timer> running = new AtomicReference<>();

    /** {@code events}: a timed pool. */
    public KernelClock(EventPool events) {
        this.events = events;
    }

    /** Submits a call to the stream of a queue. */
    void submit(Call call, CudaQueue queue, Handles.Stream stream) {
        Timer timer = running.get();
        if (timer == null) {
            call.submit(stream);
        } else {
            CudaEvent begin = events.mark(stream);
            call.submit(stream);
            timer.launches.add(new Timed(call.toString(), queue, begin, events.mark(stream)));
        }
    }

    /** Whether kernels are timed. */
    boolean isRunning() {
        return running.get() != null;
    }

    /**
     * Starts to time kernels.
     *
     * @param queues queues of the device, whose earlier work is completed first
     * @throws IllegalStateException if kernels are already timed
     */
    public KernelTimer start(Collection<CudaQueue> queues) {
        var timer = new Timer();
        // First, because a queue may still hold back calls.
        queues.forEach(queue -> queue.whileOpen(stream -> timer.starts.put(queue, events.mark(stream))));
        if (!running.compareAndSet(null, timer)) {
            timer.forgetAll();
            throw new IllegalStateException("the device times kernels already");
        }
        return timer;
    }

    private record Timed(String kernel, CudaQueue queue, CudaEvent begin, CudaEvent end) {}

    /** The interval in which a kernel ran, in nanoseconds from the start. */
    private record Stretch(long begin, long end) {}

    private final class Timer implements KernelTimer {
        private final Map<CudaQueue, CudaEvent> starts = new HashMap<>();
        private final Queue<Timed> launches = new ConcurrentLinkedQueue<>();

        @Override
        public KernelTimes times() {
            if (running.get() != this) {
                throw new IllegalStateException("the timer was used after it was closed");
            }
            List<Timed> timed = List.copyOf(launches);
            if (timed.isEmpty()) {
                return new KernelTimes(List.of(), 0, 0);
            }
            // The first queue could have started when its earlier work ended.
            CudaEvent start = starts.getOrDefault(timed.getFirst().queue, timed.getFirst().begin);
            var byName = new LinkedHashMap<String, KernelTime>();
            var stretches = new ArrayList<Stretch>();
            for (Timed each : timed) {
                each.end.await();
                long nanos = each.end.nanosSince(each.begin);
                long begin = each.begin.nanosSince(start);
                stretches.add(new Stretch(begin, begin + nanos));
                byName.merge(each.kernel, new KernelTime(each.kernel, 1, nanos), KernelClock::sum);
            }
            stretches.sort(Comparator.comparingLong(Stretch::begin));
            List<KernelTime> longestFirst = byName.values().stream()
                    .sorted(Comparator.comparingLong(KernelTime::nanos).reversed())
                    .toList();
            long spanNanos = stretches.stream().mapToLong(Stretch::end).max().getAsLong()
                    - Math.min(0, stretches.getFirst().begin);
            return new KernelTimes(longestFirst, spanNanos, busy(stretches));
        }

        @Override
        public void close() {
            if (running.compareAndSet(this, null)) {
                forgetAll();
            }
        }

        private void forgetAll() {
            starts.values().forEach(events::forget);
            for (Timed each : launches) {
                events.forget(each.begin);
                events.forget(each.end);
            }
        }
    }

    private static KernelTime sum(KernelTime one, KernelTime other) {
        return new KernelTime(one.name(), one.launches() + other.launches(), one.nanos() + other.nanos());
    }

    /** {@code stretches}: sorted by start. Intervals of different queues may overlap. */
    private static long busy(List<Stretch> stretches) {
        long busy = 0;
        long until = Long.MIN_VALUE;
        for (Stretch each : stretches) {
            busy += Math.max(0, each.end - Math.max(each.begin, until));
            until = Math.max(until, each.end);
        }
        return busy;
    }
}
