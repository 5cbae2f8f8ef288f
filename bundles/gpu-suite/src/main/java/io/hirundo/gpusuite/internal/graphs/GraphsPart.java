package io.hirundo.gpusuite.internal.graphs;

import io.hirundo.HirundoException;
import io.hirundo.device.Device;
import io.hirundo.device.DeviceDiagnostics;
import io.hirundo.event.TrainingEvent.StepMetrics;
import io.hirundo.gpusuite.internal.model.SyntheticRun;
import io.hirundo.gpusuite.internal.part.Part;
import io.hirundo.gpusuite.internal.part.TimeBudget;
import io.hirundo.strategy.Choice;
import io.hirundo.train.Trainer;
import io.hirundo.train.TrainingRun;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.function.Consumer;
import java.util.function.ToLongFunction;

/**
 * The same training runs with and without CUDA graphs: losses and norms must be bitwise equal, and the step times show the benefit of
 * graphs.
 *
 * @param trainings the shortest first
 * @param gpu the device under test
 * @param launches returns the number of graph launches of a device
 */
public record GraphsPart(Trainer trainer, List<Training> trainings, Choice gpu, ToLongFunction<Device> launches)
        implements Part {
    private static final int STEPS = 12;
    /** Steps that may run without graphs: the first step differs from the others, the next four are compared, and one is spare. */
    private static final int LEARNING = 6;

    /**
     * A training run.
     *
     * @param name display name
     */
    public record Training(String name, String precision, SyntheticRun run) {}

    /** The result of a run; {@code launches}: graph launches after {@link #LEARNING} steps. */
    private record Done(List<StepMetrics> steps, long launches) {
        double quickestMillis() {
            return steps.stream()
                            .skip(LEARNING)
                            .mapToLong(StepMetrics::stepNanos)
                            .min()
                            .orElseThrow()
                    / 1e6;
        }
    }

    /** Number of graph launches of a GPU so far. */
    public static long launches(Device device) {
        return device instanceof DeviceDiagnostics diagnostics ? diagnostics.graphLaunches() : 0;
    }

    @Override
    public String name() {
        return "graphs";
    }

    @Override
    public int limitSeconds() {
        return 20;
    }

    @Override
    public List<Choice> architectures() {
        return trainings.stream().map(training -> training.run().architecture()).toList();
    }

    @Override
    public Finding run(TimeBudget allowance, Consumer<String> progress) {
        var failures = new ArrayList<String>();
        var rows = new StringBuilder();
        int same = 0;
        int begun = 0;
        for (Training training : trainings) {
            if (allowance.isOver()) {
                break;
            }
            begun++;
            int before = failures.size();
            compare(training, allowance, failures, rows);
            same += failures.size() == before ? 1 : 0;
        }
        failures.forEach(progress);
        int cut = trainings.size() - begun;
        String summary = same + " of " + trainings.size() + " trainings are the same in graphs"
                + (cut == 0 ? "" : "; " + cut + " were not run for want of time");
        String details = "The quickest of the last " + (STEPS - LEARNING) + " steps of " + STEPS + ".\n\n"
                + "| Training | ms a step | in graphs | times as fast | graphs a step |\n|---|---|---|---|---|\n"
                + rows;
        return new Finding(summary, failures, details, cut == 0);
    }

    private void compare(Training training, TimeBudget allowance, List<String> failures, StringBuilder rows) {
        String name = training.name() + " in " + training.precision();
        try {
            Done plain = train(training, false, allowance);
            Done inGraphs = train(training, true, allowance);
            for (int index = 0; index < STEPS; index++) {
                StepMetrics expected = plain.steps.get(index);
                StepMetrics found = inGraphs.steps.get(index);
                if (found.loss() != expected.loss() || found.gradientNorm() != expected.gradientNorm()) {
                    failures.add(name + ": in graphs step " + (index + 1) + " has loss " + found.loss() + " and norm "
                            + found.gradientNorm() + ", without " + expected.loss() + " and "
                            + expected.gradientNorm());
                    break;
                }
            }
            if (inGraphs.launches == 0) {
                failures.add(name + ": no graph was launched; the log says why");
            }
            rows.append(String.format(
                    Locale.ROOT,
                    "| %s | %.3f | %.3f | %.2f | %d |%n",
                    name,
                    plain.quickestMillis(),
                    inGraphs.quickestMillis(),
                    plain.quickestMillis() / inGraphs.quickestMillis(),
                    inGraphs.launches / (STEPS - LEARNING)));
        } catch (HirundoException failure) {
            failures.add(name + ": " + failure.getMessage());
        }
    }

    private Done train(Training training, boolean inGraphs, TimeBudget allowance) {
        var options = new HashMap<>(gpu.options());
        options.put("graphs", inGraphs);
        var device = new Choice(gpu.name(), options);
        allowance.begins(training.name() + " in " + training.precision() + (inGraphs ? ", in graphs" : ""));
        try (TrainingRun run = trainer.prepare(training.run().configuration(device, training.precision(), STEPS))) {
            var steps = new ArrayList<StepMetrics>();
            long before = 0;
            while (steps.size() < STEPS) {
                before = steps.size() == LEARNING ? launches.applyAsLong(run.device()) : before;
                steps.add(run.step());
            }
            return new Done(steps, launches.applyAsLong(run.device()) - before);
        }
    }
}
