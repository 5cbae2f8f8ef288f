package io.hirundo.gpusuite.internal.model;

import io.hirundo.gpusuite.internal.part.Part;
import io.hirundo.gpusuite.internal.part.TimeBudget;
import io.hirundo.strategy.Choice;
import io.hirundo.train.Trainer;
import io.hirundo.train.TrainingRun;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.function.Consumer;
import java.util.stream.DoubleStream;

/**
 * Trains a small model in each precision for as many steps as the CPU's committed loss curve has, and compares the curves. Single losses
 * of two devices drift apart, because Adam amplifies rounding errors, so after the first steps means over {@value #WINDOW} steps are
 * compared.
 *
 * @param model the model of the curves
 * @param curves the CPU's losses
 * @param gpu the device under test
 * @param losses receives all losses of the device as text, if any step was done; null for nobody
 */
public record CurvesPart(Trainer trainer, SmallModel model, LossCurves curves, Choice gpu, Consumer<String> losses)
        implements Part {
    private static final int WINDOW = 50;

    /** A loss that nears zero would be all rounding error; with this, the least possible one is about 2.3. */
    private static final double NOISE = 0.3;

    /** As in the part {@code training}: the first loss, before any weight differs, and the next ones, alone. */
    private static final int SINGLE_STEPS = 5;

    private static final double FIRST_TOLERANCE = 1e-4;
    private static final double SINGLE_TOLERANCE = 5e-3;

    /** Relative, of a window's mean. */
    private static final double WINDOW_TOLERANCE = 5e-3;

    /** Against the committed curves of device {@code cpu}. */
    public static CurvesPart committed(Trainer trainer, String architecture, Choice gpu, Consumer<String> losses) {
        return new CurvesPart(trainer, SmallModel.curves(architecture), LossCurves.committed(), gpu, losses);
    }

    /** The family of the committed curves. */
    public static String architecture() {
        return LossCurves.committed().architecture();
    }

    @Override
    public String name() {
        return "curves";
    }

    @Override
    public int limitSeconds() {
        return 30;
    }

    @Override
    public List<Choice> architectures() {
        return List.of(model.run().architecture());
    }

    @Override
    public Finding run(TimeBudget allowance, Consumer<String> progress) {
        boolean isCompared = model.architecture().equals(curves.architecture());
        String other = "the CPU's curves are those of " + curves.architecture() + ", not of " + model.architecture();
        if (!isCompared && losses == null) {
            return new Finding("not run: " + other, List.of(), "", false);
        }
        var failures = new ArrayList<String>();
        var found = new LinkedHashMap<String, double[]>();
        var rows = new StringBuilder();
        var parts = new ArrayList<String>();
        boolean isWhole = true;
        for (var curve : curves.byPrecision().entrySet()) {
            String precision = curve.getKey();
            double[] expected = curve.getValue();
            double[] actual = train(precision, expected.length, allowance);
            found.put(precision, actual);
            List<String> wrong = isCompared ? compare(precision, actual, expected, rows) : List.of();
            wrong.forEach(progress);
            failures.addAll(wrong);
            isWhole &= actual.length == expected.length;
            parts.add(precision + " " + actual.length + " steps"
                    + (actual.length == 0
                            ? ""
                            : String.format(Locale.ROOT, ", loss %.4f to %.4f", actual[0], actual[actual.length - 1]))
                    + (actual.length == expected.length
                            ? ""
                            : " (" + (expected.length - actual.length) + " were not done for want of time)"));
        }
        var all = new LossCurves(model.architecture(), found);
        if (losses != null && all.steps() > 0) {
            losses.accept(
                    all.text("Losses of " + gpu.name() + " in the part curves of gpu-suite, a line for each step."));
        }
        if (!isCompared) {
            return new Finding(String.join("; ", parts) + "; not compared: " + other, failures, "", false);
        }
        String details = "Means of losses over " + WINDOW + " steps, in nats, and single ones of the first steps.\n\n"
                + "| Precision | Steps | GPU | CPU | off by | allowed |\n|---|---|---|---|---|---|\n" + rows;
        return new Finding(String.join("; ", parts), failures, details, isWhole);
    }

    private double[] train(String precision, int steps, TimeBudget allowance) {
        var done = DoubleStream.builder();
        if (allowance.isOver()) {
            return done.build().toArray();
        }
        try (TrainingRun run = trainer.prepare(model.run().withNoise(NOISE).configuration(gpu, precision, steps))) {
            for (int step = 1; step <= steps && !allowance.isOver(); step++) {
                allowance.begins(precision + " step " + step);
                done.add(run.step().loss());
            }
        }
        return done.build().toArray();
    }

    private static List<String> compare(String precision, double[] actual, double[] expected, StringBuilder rows) {
        var failures = new ArrayList<String>();
        for (int step = 0; step < Math.min(SINGLE_STEPS, actual.length); step++) {
            double allowed = step == 0 ? FIRST_TOLERANCE : SINGLE_TOLERANCE;
            compare(precision, "" + (step + 1), actual[step], expected[step], allowed, rows, failures);
        }
        for (int from = 0; from + WINDOW <= actual.length; from += WINDOW) {
            int to = from + WINDOW;
            compare(
                    precision,
                    (from + 1) + " to " + to,
                    LossCurves.mean(actual, from, to),
                    LossCurves.mean(expected, from, to),
                    WINDOW_TOLERANCE,
                    rows,
                    failures);
        }
        return failures;
    }

    private static void compare(
            String precision,
            String steps,
            double actual,
            double expected,
            double allowed,
            StringBuilder rows,
            List<String> failures) {
        double difference = Math.abs(actual - expected) / Math.abs(expected);
        rows.append(String.format(
                Locale.ROOT,
                "| %s | %s | %.6f | %.6f | %.1e | %.0e |%n",
                precision,
                steps,
                actual,
                expected,
                difference,
                allowed));
        // NaNs fail too.
        if (!(difference <= allowed)) {
            failures.add(String.format(
                    Locale.ROOT,
                    "%s, steps %s: the loss is %.6f and the CPU's %.6f: off by %.1e, allowed %.0e",
                    precision,
                    steps,
                    actual,
                    expected,
                    difference,
                    allowed));
        }
    }
}
