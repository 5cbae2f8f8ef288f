package io.hirundo.trainer.internal.loop;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** That strategies may change between steps costs next to nothing while no change is requested. */
class IdleBoundaryTest {
  private static final int STEPS = 1200;
  private static final double MOST_MICROS = 20;

  @TempDir private Path folder;

  @Test
  void takesAFewMicrosecondsAStep() {
    double median = IdleBoundary.medianMicros(folder, STEPS);
    assertTrue(median < MOST_MICROS, "microseconds: " + median);
  }
}
