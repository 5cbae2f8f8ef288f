package io.hirundo.gpusuite.internal.part;

import java.util.Optional;
import java.util.function.Consumer;

/** Says what a part is at where that takes long; where it does not end, as a kernel may, nobody else can say anything any more. */
final class Watchdog implements AutoCloseable {
  /** After which a piece of work is named. */
  static final int PATIENCE_SECONDS = 20;

  private static final int LOOK_MILLIS = 1000;

  private final Thread thread;

  /**
   * Begins to watch.
   *
   * @param hopelessSeconds after which a piece of work is given up
   * @param hopeless hears which, once
   */
  Watchdog(
      String part, TimeBudget allowance, int patienceSeconds, Consumer<String> progress, int hopelessSeconds, Consumer<String> hopeless) {
    thread =
        Thread.ofPlatform()
            .daemon()
            .name("gpu-suite-watch")
            .start(() -> watch(part, allowance, patienceSeconds, progress, hopelessSeconds, hopeless));
  }

  private static void watch(
      String part, TimeBudget allowance, int patienceSeconds, Consumer<String> progress, int hopelessSeconds, Consumer<String> hopeless) {
    Optional<String> told = Optional.empty();
    try {
      while (true) {
        Thread.sleep(LOOK_MILLIS);
        Optional<String> givenUp = allowance.longerThan(hopelessSeconds);
        if (givenUp.isPresent()) {
          hopeless.accept(givenUp.get());
          return;
        }
        Optional<String> late = allowance.longerThan(patienceSeconds);
        if (late.isPresent() && !late.equals(told)) {
          progress.accept(part + ": " + late.get() + " has run for " + patienceSeconds + " s");
        }
        told = late;
      }
    } catch (InterruptedException closed) {
      // The part has ended.
    }
  }

  /** Nothing is said after it; where the process is being ended, it does not return. */
  @Override
  public void close() {
    thread.interrupt();
    try {
      thread.join();
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
