package io.hirundo.devicecuda.internal.suite;

import java.util.Optional;
import java.util.function.Consumer;

/** Says what a part is at where that does not end: a kernel may be such a one, and then nobody else can say anything any more. */
final class Watch implements AutoCloseable {
  /** After which a piece of work is named. */
  static final int PATIENCE_SECONDS = 20;

  private static final int LOOK_MILLIS = 1000;

  private final Thread thread;

  Watch(String part, Allowance allowance, int patienceSeconds, Consumer<String> progress) {
    thread =
        Thread.ofPlatform().daemon().name("gpu-suite-watch").start(() -> watch(part, allowance, patienceSeconds, progress));
  }

  private static void watch(String part, Allowance allowance, int patienceSeconds, Consumer<String> progress) {
    Optional<String> told = Optional.empty();
    try {
      while (true) {
        Thread.sleep(LOOK_MILLIS);
        Optional<String> late = allowance.longerThan(patienceSeconds);
        if (late.isPresent() && !late.equals(told)) {
          progress.accept(part + ": " + late.get() + " has gone on for " + patienceSeconds + " s");
        }
        told = late;
      }
    } catch (InterruptedException closed) {
      // The part has ended.
    }
  }

  @Override
  public void close() {
    thread.interrupt();
  }
}
