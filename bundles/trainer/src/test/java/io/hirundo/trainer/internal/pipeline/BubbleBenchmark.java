package io.hirundo.trainer.internal.pipeline;

import io.hirundo.schedule.ActionTimes;
import io.hirundo.trainer.internal.fixture.TestParallel;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * Prints the bubble fraction of every schedule, by theory and measured. Arguments: ranks, microbatches, milliseconds per action, tries (the
 * shortest counts).
 */
public final class BubbleBenchmark {
    private BubbleBenchmark() {}

    /** Runs the benchmark. */
    public static void main(String[] arguments) {
        int ranks = argument(arguments, 0, 4);
        int microbatches = argument(arguments, 1, 8);
        int millis = argument(arguments, 2, 20);
        int tries = argument(arguments, 3, 15);
        System.out.printf(
                Locale.ROOT,
                "%d ranks, %d microbatches, F = B = W = %d ms, the shortest of %d steps%n",
                ranks,
                microbatches,
                millis,
                tries);
        System.out.printf(Locale.ROOT, "%-12s %8s %9s %11s%n", "schedule", "theory", "measured", "difference");
        for (String schedule : List.of("gpipe", "1f1b", "interleaved", "zb-h1", "zb-v")) {
            try (var measurement = new BubbleMeasurement(
                    TestParallel.schedule(schedule), ranks, microbatches, TimeUnit.MILLISECONDS.toNanos(millis))) {
                double theory = measurement.plan().timeline(ActionTimes.EQUAL).bubbleFraction();
                double measured = Stream.generate(measurement::step)
                        .limit(tries)
                        .min(Comparator.comparing(BubbleMeasurement.Step::totalNanos))
                        .orElseThrow()
                        .bubbleFraction(ranks);
                System.out.printf(
                        Locale.ROOT,
                        "%-12s %7.1f%% %8.1f%% %+11.1f%n",
                        schedule,
                        100 * theory,
                        100 * measured,
                        100 * (measured - theory));
            }
        }
    }

    private static int argument(String[] arguments, int index, int otherwise) {
        return arguments.length > index ? Integer.parseInt(arguments[index]) : otherwise;
    }
}
