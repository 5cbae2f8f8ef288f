package io.hirundo.devicecuda.internal.suite.step;

import io.hirundo.DeviceException;
import io.hirundo.devicecuda.internal.suite.Allowance;
import io.hirundo.event.TrainingEvent.StepMetrics;
import io.hirundo.strategy.Choice;
import io.hirundo.train.Trainer;
import io.hirundo.train.TrainingRun;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * The trainer's steps.
 *
 * @param device that does them
 */
record Steps(Trainer trainer, Choice device) {
  /** The first compiles kernels, chooses algorithms and fills the pool of memory; the second has all of it. */
  private static final int UNTIMED = 2;

  private static final int TIMED = 3;

  /** Beyond which no step is repeated. */
  private static final long ENOUGH_NANOS = 10_000_000_000L;

  /** That of the steps in the middle of all that count, by duration. */
  StepMetrics typical(StepSizes sizes, String precision, Allowance allowance) {
    return typical(sizes, precision, UNTIMED + TIMED, allowance);
  }

  /** The second. */
  StepMetrics second(StepSizes sizes, Allowance allowance) {
    return typical(sizes, "bf16", 2, allowance);
  }

  private StepMetrics typical(StepSizes sizes, String precision, int most, Allowance allowance) {
    var done = new ArrayList<StepMetrics>();
    try (TrainingRun run = trainer.prepare(sizes.run().configuration(device, precision, most))) {
      long spentNanos = 0;
      while (done.size() < most && (done.size() < 2 || spentNanos < ENOUGH_NANOS && !allowance.isOver())) {
        StepMetrics step = run.step();
        if (!Double.isFinite(step.loss())) {
          throw new DeviceException("the loss of step " + (done.size() + 1) + " is " + step.loss());
        }
        done.add(step);
        spentNanos += step.stepNanos();
      }
    }
    List<StepMetrics> counting = done.subList(Math.min(UNTIMED, done.size() - 1), done.size());
    return counting.stream().sorted(Comparator.comparing(StepMetrics::stepNanos)).toList().get(counting.size() / 2);
  }
}
