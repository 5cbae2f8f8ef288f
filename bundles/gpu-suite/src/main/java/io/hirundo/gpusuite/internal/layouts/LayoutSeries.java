package io.hirundo.gpusuite.internal.layouts;

import io.hirundo.HirundoException;
import io.hirundo.Reason;
import io.hirundo.gpusuite.internal.layouts.Comparisons.Compared;
import io.hirundo.gpusuite.internal.part.TimeBudget;
import io.hirundo.strategy.Choice;
import io.hirundo.train.Trainer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Compares layouts one after the other with a single rank in the same precision, which is trained once. */
final class LayoutSeries {
    private static final Logger LOG = LoggerFactory.getLogger(LayoutSeries.class);

    /**
     * No rank of a small model computes this long between two collectives, so a longer wait is a deadlock. Compilation is shorter too, even
     * with an empty cache: the single ranks before have compiled everything but {@code quantize_pieces.cu}, which takes half a second.
     */
    private static final int MIN_TIMEOUT_SECONDS = 10;

    private static final int MAX_TIMEOUT_SECONDS = 600;
    private static final long NANOS_PER_SECOND = 1_000_000_000;

    private final Trainer trainer;
    private final String architecture;
    private final Choice device;
    private final TimeBudget allowance;
    private final Map<Precision, Outcome<Trace>> alone = new HashMap<>();
    private final List<String> failures = new ArrayList<>();
    private final StringBuilder rows = new StringBuilder();
    private int agreeing;

    /**
     * The result of some work: a value, or the reason why there is none.
     *
     * @param value null if the work failed
     * @param failure null if the work succeeded
     */
    private record Outcome<T>(T value, String failure) {}

    LayoutSeries(Trainer trainer, String architecture, Choice device, TimeBudget allowance) {
        this.trainer = trainer;
        this.architecture = architecture;
        this.device = device;
        this.allowance = allowance;
    }

    /** Compares a layout and returns its failures. The other layouts continue after a failure. */
    List<String> compare(Compared compared) {
        var found = new ArrayList<String>();
        Outcome<Verdict> judged = judge(compared);
        if (judged.failure != null) {
            found.add(judged.failure);
        } else {
            Verdict verdict = judged.value;
            found.addAll(verdict.failures());
            rows.append("| ")
                    .append(compared)
                    .append(" | ")
                    .append(compared.layout().ranks())
                    .append(" |")
                    .append(verdict.cells())
                    .append('\n');
        }
        agreeing += found.isEmpty() ? 1 : 0;
        found.replaceAll(each -> compared + ": " + each);
        failures.addAll(found);
        return found;
    }

    /** A failed single rank is not repeated, because that would take the time of layouts in other precisions. */
    private Outcome<Verdict> judge(Compared compared) {
        var single = new Compared(Layout.ALONE, compared.precision());
        Outcome<Trace> expected =
                alone.computeIfAbsent(compared.precision(), _ -> attempt(single, () -> train(single)));
        return expected.failure != null
                ? new Outcome<>(null, "the single rank has failed: " + expected.failure)
                : attempt(
                        compared,
                        () -> Verdict.of(
                                compared.precision().closeness(compared.layout()), expected.value, train(compared)));
    }

    private static <T> Outcome<T> attempt(Compared training, Supplier<T> work) {
        try {
            return new Outcome<>(work.get(), null);
        } catch (HirundoException failure) {
            return new Outcome<>(null, failure.getMessage());
        } catch (RuntimeException defect) {
            LOG.error("{} has a defect", training, defect);
            return new Outcome<>(null, Reason.of(defect));
        }
    }

    private Trace train(Compared training) {
        allowance.begins(training.toString());
        long timeoutSeconds =
                Math.clamp(allowance.leftNanos() / NANOS_PER_SECOND / 4, MIN_TIMEOUT_SECONDS, MAX_TIMEOUT_SECONDS);
        Layout layout = training.layout();
        var configuration =
                SplitModel.configuration(architecture, device, layout, training.precision(), (int) timeoutSeconds);
        return Trace.of(trainer, configuration, SplitModel.STEPS, layout.hasWholeGradients());
    }

    /** One line each. */
    List<String> failures() {
        return failures;
    }

    /** Number of layouts that agree. */
    int agreeing() {
        return agreeing;
    }

    /** The Markdown table. */
    String table() {
        return SplitModel.STEPS
                + " steps. Losses and the gradients' norms of all of them; gradients of the first, those of which the first rank has"
                + " all or a shard and no part of a sum: norm of the difference over the norm.\n\n"
                + "| Layout | Ranks | Loss off by | allowed | Norm off by | allowed | Gradient off by | allowed |\n|---|---|---|---|---|---|---|---|\n"
                + rows;
    }
}
