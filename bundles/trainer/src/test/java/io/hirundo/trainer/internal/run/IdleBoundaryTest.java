package io.hirundo.trainer.internal.run;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.testkit.CtrlC;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * What it costs that strategies may change between steps, while nothing is wished: processor time, between steps that really
 * are done, so that caches are as cold as they are in a training. What a rank tells the others travels in a message that is sent
 * anyway, two numbers longer.
 */
class IdleBoundaryTest {
  private static final int STEPS = 1200;

  /** Until the code is compiled. */
  private static final int WARM = 800;

  private static final double MOST_MICROS = 20;

  @TempDir private Path folder;

  @Test
  void aFewMicrosecondsAStep() {
    var steered = new SteeredRun(folder);
    steered.with("training", Map.of("steps", STEPS, "sequenceTokens", 16, "globalBatch", 4));
    var configuration = steered.configuration();
    try (var chosen = new RunStrategies(steered.catalog, configuration);
        var directory = RunDirectory.open(configuration.run(), false);
        var run = OpenRun.open(configuration, chosen.strategies());
        var checkpoints = new RunCheckpoints(run, chosen, directory.checkpoints())) {
      var warnings = new RunWarnings(run, true);
      var silent = new EventHub(List::of, List::of);
      var swap = new StrategySwap(run, chosen, checkpoints, directory, silent, warnings);
      var saves = new RunSaves(run, checkpoints, silent);
      try (var boundary =
          new StepBoundary(
              run, chosen, swap, saves, steered.steering, silent, new CtrlC())) {
        // What came while the run was opened is looked at once.
        boundary.visit();
        double[] micros = new double[STEPS - WARM];
        for (int step = 0; step < STEPS; step++) {
          double taken = visitIdly(run, boundary);
          if (step >= WARM) {
            micros[step - WARM] = taken;
          }
        }
        Arrays.sort(micros);
        double median = micros[micros.length / 2];
        System.out.printf(Locale.ROOT, "RESULT: idle step boundary %.2f microseconds of processor time a rank%n", median);
        assertTrue(median < MOST_MICROS, "microseconds: " + median);
      }
    }
  }

  private static double visitIdly(OpenRun run, StepBoundary boundary) {
    var metrics = run.step();
    var threads = ManagementFactory.getThreadMXBean();
    // Reading this clock takes longer than most of what is measured.
    long before = threads.getCurrentThreadCpuTime();
    long begin = threads.getCurrentThreadCpuTime();
    boolean idle = !boundary.signals().wish();
    boundary.stepDone(metrics);
    idle &= !run.lastStep().signals().wish();
    long end = threads.getCurrentThreadCpuTime();
    assertTrue(idle);
    return ((end - begin) - (begin - before)) / 1e3;
  }
}
