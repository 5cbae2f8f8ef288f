package io.hirundo.gpusuite.internal.step;

import io.hirundo.HirundoException;
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

/** Whole steps, then blocks alone, of one side after the other: each has the GPU's memory for itself. */
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

  /** Ours first, for PyTorch compiles. {@code torch}: empty where there is none. */
  void run(StepSizes sizes, Optional<TorchSide> torch) {
    double wholeFlops = ours(sizes, true);
    double blocksFlops = ours(sizes.blocksAlone(), false);
    torch.ifPresent(
        it -> {
          theirs(it, sizes, true, wholeFlops);
          theirs(it, sizes.blocksAlone(), false, blocksFlops);
        });
  }

  /** The model's operations in a step; 0 where none was done. */
  private double ours(StepSizes sizes, boolean isWhole) {
    double[] modelFlops = new double[1];
    for (Side side : List.of(Side.BF16, Side.FP8)) {
      long begin = allowance.leftNanos();
      attempt(isWhole, side, () -> {
        Steps.Typical typical = steps.typical(sizes, side.precision(), allowance);
        StepMetrics step = typical.step();
        modelFlops[0] = step.modelFlops();
        table.add(sizes, isWhole, side, new StepTable.Timed(step.stepNanos() / 1e9, step.modelFlops(), typical.idleShare(), ""));
        // What weights need to be made is mostly the host's time, and the same each time.
        longestNanos = Math.max(longestNanos, begin - allowance.leftNanos());
      });
    }
    return modelFlops[0];
  }

  private void theirs(TorchSide torch, StepSizes sizes, boolean isWhole, double modelFlops) {
    // That it is gone is told; but not where the time is over, or somebody wants an end.
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
      failures.add(name + ": " + defect);
    }
  }

  private void ask(TorchSide torch, StepSizes sizes, boolean isWhole, double modelFlops) {
    TorchSide.Answer answer = torch.time(sizes.request(), allowance);
    if (answer.seconds().isPresent()) {
      table.add(sizes, isWhole, Side.TORCH, new StepTable.Timed(answer.seconds().get(), modelFlops, OptionalDouble.empty(), answer.remark()));
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

  /** What was not run for want of time. */
  List<String> cut() {
    return cut;
  }
}
