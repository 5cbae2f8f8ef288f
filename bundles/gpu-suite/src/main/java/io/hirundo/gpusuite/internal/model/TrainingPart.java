package io.hirundo.gpusuite.internal.model;

import io.hirundo.event.TrainingEvent.StepMetrics;
import io.hirundo.gpusuite.internal.part.Part;
import io.hirundo.gpusuite.internal.part.TimeBudget;
import io.hirundo.strategy.Choice;
import io.hirundo.train.Trainer;
import io.hirundo.train.TrainingRun;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Consumer;

/**
 * Trains in bf16 on the device under test, and compares the first losses with the CPU's.
 *
 * @param model the model
 * @param steps number of steps on the device under test
 * @param gpu the device under test
 * @param cpu the reference for the first steps
 */
public record TrainingPart(Trainer trainer, SmallModel model, int steps, Choice gpu, Choice cpu) implements Part {
    private static final int COMPARED_STEPS = 5;
    private static final String PRECISION = "bf16";

    /**
     * Relative tolerances of the losses. The first step may differ by 1e-4, as everywhere in bf16. Adam turns gradients of any size into
     * updates of equal size, including those that are mostly rounding error, so later steps may differ more.
     */
    private static final double FIRST_TOLERANCE = 1e-4;

    private static final double TOLERANCE = 5e-3;

    @Override
    public String name() {
        return "training";
    }

    @Override
    public int limitSeconds() {
        return 20;
    }

    @Override
    public List<Choice> architectures() {
        return List.of(model.run().architecture());
    }

    @Override
    public Finding run(TimeBudget allowance, Consumer<String> progress) {
        var failures = new ArrayList<String>();
        List<StepMetrics> done = train(gpu, steps, allowance);
        // Both devices share the time limit; the CPU gets what the GPU has left.
        List<StepMetrics> onCpu = train(cpu, Math.min(COMPARED_STEPS, done.size()), allowance);
        var rows = new StringBuilder();
        for (int step = 1; step <= onCpu.size(); step++) {
            compare(step, done.get(step - 1).loss(), onCpu.get(step - 1).loss(), failures, rows);
        }
        double first = done.getFirst().loss();
        double last = done.getLast().loss();
        if (done.size() == steps && !(last < first)) {
            failures.add(String.format(Locale.ROOT, "it does not learn: the loss went from %.4f to %.4f", first, last));
        }
        failures.forEach(progress);
        StepMetrics middle = middle(done);
        String summary = String.format(
                        Locale.ROOT,
                        "%d steps, loss %.4f to %.4f, %.0f tokens/s, %.2f TFLOP/s",
                        done.size(),
                        first,
                        last,
                        middle.tokensPerSecond(),
                        middle.modelTflops())
                + (done.size() == steps ? "" : "; " + (steps - done.size()) + " steps were not done for want of time")
                + (onCpu.size() == COMPARED_STEPS
                        ? ""
                        : "; the CPU did " + onCpu.size() + " of " + COMPARED_STEPS + " for want of time");
        String details =
                "Mean loss of the first steps, in nats; speed is that of the step in the middle of all, by duration.\n\n"
                        + "| Step | GPU | CPU | off by | allowed |\n|---|---|---|---|---|\n" + rows;
        return new Finding(summary, failures, details, done.size() == steps && onCpu.size() == COMPARED_STEPS);
    }

    /** Runs at least one step. */
    private List<StepMetrics> train(Choice device, int wanted, TimeBudget allowance) {
        var done = new ArrayList<StepMetrics>();
        // The same number of steps on both devices, because a data source may depend on it.
        try (TrainingRun run = trainer.prepare(model.configuration(device, PRECISION, steps))) {
            do {
                allowance.begins("step " + (done.size() + 1) + " on " + device.name());
                done.add(run.step());
            } while (done.size() < wanted && !allowance.isOver());
        }
        return done;
    }

    private static void compare(int step, double actual, double expected, List<String> failures, StringBuilder rows) {
        double difference = Math.abs(actual - expected) / Math.abs(expected);
        double allowed = step == 1 ? FIRST_TOLERANCE : TOLERANCE;
        rows.append(String.format(
                Locale.ROOT, "| %d | %.6f | %.6f | %.1e | %.0e |%n", step, actual, expected, difference, allowed));
        if (!(difference <= allowed)) {
            failures.add(String.format(
                    Locale.ROOT,
                    "the loss of step %d is %.6f and the CPU's %.6f: off by %.1e, allowed %.0e",
                    step,
                    actual,
                    expected,
                    difference,
                    allowed));
        }
    }

    private static StepMetrics middle(List<StepMetrics> done) {
        List<StepMetrics> byDuration = done.stream()
                .sorted((a, b) -> Long.compare(a.stepNanos(), b.stepNanos()))
                .toList();
        return byDuration.get(byDuration.size() / 2);
    }
}
