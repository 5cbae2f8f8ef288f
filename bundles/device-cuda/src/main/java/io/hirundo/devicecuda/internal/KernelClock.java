package io.hirundo.devicecuda.internal;

import io.hirundo.device.KernelTimer;
import io.hirundo.device.KernelTimes;
import io.hirundo.device.KernelTimes.KernelTime;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicReference;

/** Times a device's kernels while somebody asks for that, by an event before each and one behind. Thread-safe. */
final class KernelClock {
  private final EventPool events;
  private final AtomicReference<Timer> running = new AtomicReference<>();

  /** {@code events}: timed. */
  KernelClock(EventPool events) {
    this.events = events;
  }

  /** Launches what its {@code toString} names. */
  void launch(Object kernel, CudaQueue queue, Runnable launch) {
    Timer timer = running.get();
    if (timer == null) {
      launch.run();
    } else {
      CudaEvent begin = events.mark(queue.stream());
      launch.run();
      timer.launches.add(new Timed(kernel, begin, events.mark(queue.stream())));
    }
  }

  /**
   * Times kernels from now on.
   *
   * @throws IllegalStateException where that is done already
   */
  KernelTimer start() {
    var timer = new Timer();
    if (!running.compareAndSet(null, timer)) {
      throw new IllegalStateException("the device times kernels already");
    }
    return timer;
  }

  private record Timed(Object kernel, CudaEvent begin, CudaEvent end) {}

  /** A stretch of time in which a kernel ran, in nanoseconds from the begin of the first that was launched. */
  private record Stretch(long begin, long end) {}

  private final class Timer implements KernelTimer {
    private final Queue<Timed> launches = new ConcurrentLinkedQueue<>();

    @Override
    public KernelTimes times() {
      List<Timed> timed = List.copyOf(launches);
      var byName = new LinkedHashMap<String, KernelTime>();
      var stretches = new ArrayList<Stretch>();
      for (Timed each : timed) {
        each.end.await();
        long nanos = each.end.nanosSince(each.begin);
        long begin = each.begin.nanosSince(timed.getFirst().begin);
        stretches.add(new Stretch(begin, begin + nanos));
        String name = each.kernel.toString();
        byName.merge(name, new KernelTime(name, 1, nanos), KernelClock::sum);
      }
      stretches.sort(Comparator.comparingLong(Stretch::begin));
      List<KernelTime> longestFirst =
          byName.values().stream().sorted(Comparator.comparingLong(KernelTime::nanos).reversed()).toList();
      return new KernelTimes(longestFirst, span(stretches), busy(stretches));
    }

    @Override
    public void close() {
      if (running.compareAndSet(this, null)) {
        for (Timed each : launches) {
          events.forget(each.begin);
          events.forget(each.end);
        }
      }
    }
  }

  private static KernelTime sum(KernelTime one, KernelTime other) {
    return new KernelTime(one.name(), one.launches() + other.launches(), one.nanos() + other.nanos());
  }

  private static long span(List<Stretch> stretches) {
    long end = stretches.stream().mapToLong(Stretch::end).max().orElse(0);
    return stretches.isEmpty() ? 0 : end - stretches.getFirst().begin;
  }

  /** {@code stretches}: by their begins. Where several queues have work they overlap. */
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
