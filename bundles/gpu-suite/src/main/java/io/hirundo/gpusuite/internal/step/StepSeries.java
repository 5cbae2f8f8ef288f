package io.hirundo.gpusuite.internal.step;

import io.hirundo.HirundoException;
import io.hirundo.Reason;
import io.hirundo.event.TrainingEvent.StepMetrics;
import io.hirundo.gpusuite.internal.bench.TorchSide;
import io.hirundo.gpusuite.internal.part.TimeBudget;
import io.hirundo.gpusuite.internal.step.StepTable.Side;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Measures complete steps, then blocks alone, one side after the other, so that each has all GPU memory. */
final class StepSeries {
    private static final Logger LOG = LoggerFactory.getLogger(StepSeries.class);

    private final Steps steps;
    private final TimeBudget allowance;
    private final StepTable table = new StepTable();
    private final List<String> failures = new ArrayList<>();
    private final List<String> cut = new ArrayList<>();
    private long longestNanos;

    StepSeries(Steps steps, TimeBudget allowance) {
        this.steps = steps;
        this.allowance = allowance;
    }

    /** Ours first, because PyTorch compiles. {@code torch}: empty without PyTorch. */
    void run(StepSizes sizes, Optional<TorchSide> torch) {
        double wholeFlops = ours(sizes, true);
        double blocksFlops = ours(sizes.blocksAlone(), false);
        torch.ifPresent(it -> {
            theirs(it, sizes, true, wholeFlops);
            theirs(it, sizes.blocksAlone(), false, blocksFlops);
        });
    }

    /** The model FLOPs of a step; 0 if no step ran. */
    private double ours(StepSizes sizes, boolean isWhole) {
        double[] modelFlops = new double[1];
        for (Side side : List.of(Side.BF16, Side.FP8)) {
            long begin = allowance.leftNanos();
            attempt(isWhole, side, () -> {
                Steps.Typical typical = steps.typical(sizes, side.precision(), allowance);
                StepMetrics step = typical.step();
                modelFlops[0] = step.modelFlops();
                table.add(
                        sizes,
                        isWhole,
                        side,
                        new StepTable.Timed(step.stepNanos() / 1e9, step.modelFlops(), typical.idleShare(), ""));
                // The initialization of weights is mostly host time, and equal each time.
                longestNanos = Math.max(longestNanos, begin - allowance.leftNanos());
            });
        }
        return modelFlops[0];
    }

    private void theirs(TorchSide torch, StepSizes sizes, boolean isWhole, double modelFlops) {
        // A failure of PyTorch is reported, unless the time is over or the user has interrupted.
        if (torch.gone().isEmpty() || allowance.isOver()) {
            attempt(isWhole, Side.TORCH, () -> ask(torch, sizes, isWhole, modelFlops));
        }
    }

    private void attempt(boolean isWhole, Side side, Runnable work) {
        String name = (isWhole ? "whole step, " : "blocks alone, ") + side;
        if (allowance.isOver() || allowance.leftNanos() < longestNanos) {
            cut.add(name);
            return;
        }
        allowance.begins(name);
        try {
            work.run();
        } catch (HirundoException failure) {
            failures.add(name + ": " + failure.getMessage());
        } catch (RuntimeException defect) {
            LOG.error("{} has a defect", name, defect);
            failures.add(name + ": " + Reason.of(defect));
        }
    }

    private void ask(TorchSide torch, StepSizes sizes, boolean isWhole, double modelFlops) {
        TorchSide.Answer answer = torch.time(sizes.request(), allowance);
        if (answer.seconds().isPresent()) {
            table.add(
                    sizes,
                    isWhole,
                    Side.TORCH,
                    new StepTable.Timed(answer.seconds().get(), modelFlops, OptionalDouble.empty(), answer.remark()));
        } else if (!answer.remark().isEmpty()) {
            table.lacks(isWhole, Side.TORCH, answer.remark());
        }
    }

    StepTable table() {
        return table;
    }

    List<String> failures() {
        return failures;
    }

    /** What did not run because the time was over. */
    List<String> cut() {
        return cut;
    }
}
