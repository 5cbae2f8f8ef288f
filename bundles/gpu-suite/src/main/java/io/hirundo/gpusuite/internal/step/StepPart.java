package io.hirundo.gpusuite.internal.step;

import io.hirundo.gpusuite.internal.bench.TorchSide;
import io.hirundo.gpusuite.internal.part.Part;
import io.hirundo.gpusuite.internal.part.TimeBudget;
import io.hirundo.strategy.Choice;
import io.hirundo.train.Trainer;
import java.io.IOException;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * Measures training steps in bf16 and fp8-blockwise, and PyTorch's. A small step first predicts whether they fit into the time; if not,
 * smaller ones are measured.
 *
 * @param wanted sizes to measure
 * @param gpu the device under test
 * @param python the Python program with PyTorch
 */
public record StepPart(Trainer trainer, StepSizes wanted, Choice gpu, String python) implements Part {
    /** PyTorch compiles a block and a head, forward and backward. */
    private static final int LONGEST_ANSWER_SECONDS = 100;

    /**
     * Maximum predicted time of a step, as a fraction of the remaining time: four runs have at least two steps each, and PyTorch needs time,
     * but the prediction is an upper bound that is rarely reached.
     */
    private static final double LARGEST_SHARE = 1.0 / 10;

    @Override
    public String name() {
        return "step";
    }

    @Override
    public int limitSeconds() {
        return 150;
    }

    /** The host initializes billions of weights before the first step. */
    @Override
    public int longestPieceSeconds() {
        return 300;
    }

    @Override
    public List<Choice> architectures() {
        return List.of(wanted.run().architecture(), wanted.probe().run().architecture());
    }

    @Override
    public Finding run(TimeBudget allowance, Consumer<String> progress) {
        var steps = new Steps(trainer, gpu);
        StepSizes probe = wanted.probe();
        allowance.begins("a step of " + probe);
        double seconds = steps.quickest(probe, allowance).stepNanos() / 1e9;
        StepSizes sizes = fitting(probe, seconds, LARGEST_SHARE * allowance.leftNanos() / 1e9);
        progress.accept("step: " + sizes);
        var series = new StepSeries(steps, allowance);
        String comparison = measure(series, sizes, allowance);
        series.failures().forEach(progress);
        String details = String.format(
                Locale.ROOT,
                "%s: %.1f ms, by which %s may take %.1f s at most. Measured: %s.%n%n",
                probe,
                seconds * 1e3,
                wanted,
                wanted.secondsAtMost(probe, seconds),
                sizes);
        boolean asWanted = sizes.equals(wanted);
        String summary = series.table().summary() + "; " + sizes + (asWanted ? "" : " for want of time") + ", "
                + comparison
                + (series.cut().isEmpty() ? "" : "; not run for want of time: " + String.join("; ", series.cut()));
        return new Finding(
                summary,
                series.failures(),
                details + series.table().text(),
                asWanted && series.cut().isEmpty());
    }

    /** Returns what PyTorch did. */
    private String measure(StepSeries series, StepSizes sizes, TimeBudget allowance) {
        String timed = TorchSide.architecture();
        if (!wanted.architecture().equals(timed)) {
            series.run(sizes, Optional.empty());
            return "no PyTorch: its script trains " + timed + ", not " + wanted.architecture();
        }
        allowance.begins("the start of PyTorch");
        try (TorchSide torch = TorchSide.start(python, LONGEST_ANSWER_SECONDS, allowance)) {
            series.run(sizes, Optional.of(torch));
            return torch.about();
        } catch (IOException absent) {
            series.run(sizes, Optional.empty());
            return "no PyTorch: " + python + " cannot be started";
        }
    }

    /** The largest sizes whose prediction fits; the smallest if none fits. */
    private StepSizes fitting(StepSizes probe, double seconds, double mostSeconds) {
        List<StepSizes> choices = wanted.orLess();
        return choices.stream()
                .filter(it -> it.secondsAtMost(probe, seconds) <= mostSeconds)
                .findFirst()
                .orElse(choices.getLast());
    }
}
