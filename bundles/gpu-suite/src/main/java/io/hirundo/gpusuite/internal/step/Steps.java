package io.hirundo.gpusuite.internal.step;

import io.hirundo.DeviceException;
import io.hirundo.device.KernelTimer;
import io.hirundo.event.TrainingEvent.StepMetrics;
import io.hirundo.gpusuite.internal.part.TimeBudget;
import io.hirundo.gpusuite.internal.step.StepTable.Side;
import io.hirundo.strategy.Choice;
import io.hirundo.train.Trainer;
import io.hirundo.train.TrainingRun;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import java.util.function.Consumer;

/**
 * Measures steps of the trainer.
 *
 * @param device device of the steps
 */
record Steps(Trainer trainer, Choice device) {
    /** The first step compiles kernels, chooses algorithms and fills the memory pool; the second one is the warm-up. */
    private static final int UNTIMED = 2;

    private static final int TIMED = 3;
    private static final int PROBES = 10;
    private static final Comparator<StepMetrics> BY_DURATION = Comparator.comparing(StepMetrics::stepNanos);

    /** After this time no step is repeated. */
    private static final long ENOUGH_NANOS = 10_000_000_000L;

    /**
     * A typical step.
     *
     * @param idleShare fraction of its time in which the device ran no kernel; empty if unknown
     */
    record Typical(StepMetrics step, OptionalDouble idleShare) {}

    /** The median step by duration. Kernels are timed in one more step, which does not count. */
    Typical typical(StepSizes sizes, String precision, TimeBudget allowance) {
        var busyNanos = new OptionalLong[] {OptionalLong.empty()};
        List<StepMetrics> done =
                run(sizes, precision, UNTIMED + TIMED, allowance, run -> busyNanos[0] = busyNanos(run));
        List<StepMetrics> counting = done.subList(Math.min(UNTIMED, done.size() - 1), done.size());
        StepMetrics middle = counting.stream().sorted(BY_DURATION).toList().get(counting.size() / 2);
        OptionalDouble idleShare = busyNanos[0].isEmpty()
                ? OptionalDouble.empty()
                : OptionalDouble.of(Math.max(0, 1 - (double) busyNanos[0].getAsLong() / middle.stepNanos()));
        return new Typical(middle, idleShare);
    }

    private static OptionalLong busyNanos(TrainingRun run) {
        try (KernelTimer timer = run.device().timeKernels().orElse(null)) {
            if (timer == null) {
                return OptionalLong.empty();
            }
            run.step();
            return OptionalLong.of(timer.times().busyNanos());
        }
    }

    /** The fastest of several steps in bf16, because the JVM speeds up during the first steps. */
    StepMetrics quickest(StepSizes sizes, TimeBudget allowance) {
        return run(sizes, Side.BF16.precision(), PROBES, allowance, run -> {}).stream()
                .min(BY_DURATION)
                .orElseThrow();
    }

    /** Runs at least two steps; {@code last} may run one more. */
    private List<StepMetrics> run(
            StepSizes sizes, String precision, int most, TimeBudget allowance, Consumer<TrainingRun> last) {
        var done = new ArrayList<StepMetrics>();
        try (TrainingRun run = trainer.prepare(sizes.run().configuration(device, precision, most + 1))) {
            long spentNanos = 0;
            while (done.size() < most && (done.size() < 2 || spentNanos < ENOUGH_NANOS && !allowance.isOver())) {
                StepMetrics step = run.step();
                if (!Double.isFinite(step.loss())) {
                    throw new DeviceException("the loss of step " + (done.size() + 1) + " is " + step.loss());
                }
                done.add(step);
                spentNanos += step.stepNanos();
            }
            if (spentNanos < ENOUGH_NANOS && !allowance.isOver()) {
                last.accept(run);
            }
        }
        return done;
    }
}
