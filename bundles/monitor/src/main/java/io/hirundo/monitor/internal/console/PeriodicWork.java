package io.hirundo.monitor.internal.console;

/** Work between steps that comes again at some interval, a validation or a save, and what it has cost so far. */
final class PeriodicWork {
  private final long firstStep;
  private long firstTime;
  private long lastTime;
  private long times;
  private double nanos;

  PeriodicWork(long firstStep) {
    this.firstStep = firstStep;
  }

  /** After this step; again for the same step when it has several parts. */
  void add(long step, double partNanos) {
    // What a run does before its first step does not come again.
    if (step < firstStep) {
      return;
    }
    if (step > lastTime) {
      firstTime = times == 0 ? step : firstTime;
      lastTime = step;
      times++;
    }
    nanos += partNanos;
  }

  /** What is expected of it after a step, up to the last one. */
  double nanosUntil(long lastStep, long step) {
    if (times == 0) {
      return 0;
    }
    double interval = times == 1 ? firstTime - firstStep + 1.0 : (lastTime - firstTime) / (times - 1.0);
    // The next one may be due since its last time: it comes after this step, not before.
    double next = Math.max(lastTime + interval, step);
    return next > lastStep ? 0 : (Math.floor((lastStep - next) / interval) + 1) * nanos / times;
  }
}
