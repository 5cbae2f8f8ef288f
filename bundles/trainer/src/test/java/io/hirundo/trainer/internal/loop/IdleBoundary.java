package io.hirundo.trainer.internal.loop;

import io.hirundo.testkit.CtrlC;
import io.hirundo.trainer.internal.checkpoint.RunCheckpoints;
import io.hirundo.trainer.internal.checkpoint.RunSaves;
import io.hirundo.trainer.internal.fixture.SteeredRun;
import io.hirundo.trainer.internal.record.EventHub;
import io.hirundo.trainer.internal.record.RunDirectory;
import io.hirundo.trainer.internal.session.LocalRun;
import io.hirundo.trainer.internal.session.RunWarnings;
import io.hirundo.trainer.internal.strategy.RunStrategies;
import io.hirundo.trainer.internal.swap.StrategySwap;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * What it costs that strategies may change between steps, while no change is requested: processor time, between steps that really
 * are done, so that caches are as cold as they are in a training. What a rank tells the others travels in a message that is sent
 * anyway, two numbers longer.
 */
public final class IdleBoundary {
  private IdleBoundary() {}

  /** Prints the median. Arguments: a folder for the run, steps. */
  public static void main(String[] arguments) {
    double micros = medianMicros(Path.of(arguments[0]), Integer.parseInt(arguments[1]));
    System.out.printf(Locale.ROOT, "RESULT: idle step boundary %.2f microseconds of processor time a rank%n", micros);
  }

  /** Of the last third of the steps: until then the code is not compiled. */
  static double medianMicros(Path folder, int steps) {
    int warm = steps * 2 / 3;
    var steered = new SteeredRun(folder);
    steered.with("training", Map.of("steps", steps, "sequenceTokens", 16, "globalBatch", 4));
    var configuration = steered.configuration();
    try (var chosen = new RunStrategies(steered.catalog, configuration);
        var directory = RunDirectory.open(configuration.run(), false);
        var run = LocalRun.open(configuration, chosen.strategies());
        var checkpoints = new RunCheckpoints(run, chosen, directory.checkpoints())) {
      var warnings = new RunWarnings(run, true);
      var silent = new EventHub(List::of, List::of);
      var swap = new StrategySwap(run, chosen, checkpoints, directory, silent, warnings);
      var saves = new RunSaves(run, checkpoints, silent);
      try (var boundary = new StepBoundary(run, chosen, swap, saves, steered.steering, silent, new CtrlC())) {
        // What came while the run was opened is looked at once.
        boundary.visit();
        double[] micros = new double[steps - warm];
        for (int step = 0; step < steps; step++) {
          double taken = visitIdly(run, boundary);
          if (step >= warm) {
            micros[step - warm] = taken;
          }
        }
        Arrays.sort(micros);
        return micros[micros.length / 2];
      }
    }
  }

  private static double visitIdly(LocalRun run, StepBoundary boundary) {
    var metrics = run.step();
    var threads = ManagementFactory.getThreadMXBean();
    // Reading this clock takes longer than most of what is measured.
    long before = threads.getCurrentThreadCpuTime();
    long begin = threads.getCurrentThreadCpuTime();
    boolean idle = !boundary.signals().wish();
    boundary.stepDone(metrics);
    idle &= !run.lastStep().signals().wish();
    long end = threads.getCurrentThreadCpuTime();
    if (!idle) {
      throw new IllegalStateException("somebody requested a change");
    }
    return ((end - begin) - (begin - before)) / 1e3;
  }
}
