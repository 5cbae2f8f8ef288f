package io.hirundo.trainer.internal.loop;

import io.hirundo.lib.run.strategy.RunStrategies;
import io.hirundo.testkit.CtrlC;
import io.hirundo.trainer.internal.checkpoint.RunCheckpoints;
import io.hirundo.trainer.internal.checkpoint.RunSaves;
import io.hirundo.trainer.internal.fixture.SteeredRun;
import io.hirundo.trainer.internal.record.EventBus;
import io.hirundo.trainer.internal.record.RunDirectory;
import io.hirundo.trainer.internal.session.LocalRun;
import io.hirundo.trainer.internal.session.RunWarnings;
import io.hirundo.trainer.internal.swap.StrategySwap;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * Measures the processor time of a step boundary without change requests. It measures between real training steps, so that caches are as
 * cold as in training. The request flag rides on the gradient-norm all-reduce, which is sent anyway.
 */
public final class IdleBoundary {
    private IdleBoundary() {}

    /** Prints the median. Arguments: a folder for the run, number of steps. */
    public static void main(String[] arguments) {
        double micros = medianMicros(Path.of(arguments[0]), Integer.parseInt(arguments[1]));
        System.out.printf(
                Locale.ROOT, "RESULT: idle step boundary %.2f microseconds of processor time a rank%n", micros);
    }

    /** The median over the last third of the steps; before that the code may not be compiled. */
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
            var silent = new EventBus(List::of, List::of);
            var swap = new StrategySwap(
                    run, chosen, checkpoints, directory, silent, warnings, steered.steering.changeClock());
            var saves = new RunSaves(run, checkpoints, silent);
            try (var boundary = new StepBoundary(run, chosen, swap, saves, steered.steering, silent, new CtrlC())) {
                // The first visit handles changes from before the run.
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
        // Subtracts the cost of reading the clock, which is larger than most of the measured time.
        long before = threads.getCurrentThreadCpuTime();
        long begin = threads.getCurrentThreadCpuTime();
        boolean idle = !boundary.signals().request();
        boundary.stepDone(metrics);
        idle &= !run.lastStep().signals().request();
        long end = threads.getCurrentThreadCpuTime();
        if (!idle) {
            throw new IllegalStateException("somebody requested a change");
        }
        return ((end - begin) - (begin - before)) / 1e3;
    }
}
