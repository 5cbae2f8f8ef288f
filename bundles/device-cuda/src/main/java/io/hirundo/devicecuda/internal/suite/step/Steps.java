package io.hirundo.devicecuda.internal.suite.step;

import io.hirundo.DeviceException;
import io.hirundo.devicecuda.internal.suite.Allowance;
import io.hirundo.devicecuda.internal.suite.step.StepTable.Side;
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
  private static final int PROBES = 10;
  private static final Comparator<StepMetrics> BY_DURATION = Comparator.comparing(StepMetrics::stepNanos);

  /** Beyond which no step is repeated. */
  private static final long ENOUGH_NANOS = 10_000_000_000L;

  /** That of the steps in the middle of all that count, by duration. */
  StepMetrics typical(StepSizes sizes, String precision, Allowance allowance) {
    List<StepMetrics> done = run(sizes, precision, UNTIMED + TIMED, allowance);
    List<StepMetrics> counting = done.subList(Math.min(UNTIMED, done.size() - 1), done.size());
    return counting.stream().sorted(BY_DURATION).toList().get(counting.size() / 2);
  }

  /** Of some, in bf16: this program becomes quicker with each at first. */
  StepMetrics quickest(StepSizes sizes, Allowance allowance) {
    return run(sizes, Side.BF16.precision(), PROBES, allowance).stream().min(BY_DURATION).orElseThrow();
  }

  /** At least two. */
  private List<StepMetrics> run(StepSizes sizes, String precision, int most, Allowance allowance) {
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
    return done;
  }
}
