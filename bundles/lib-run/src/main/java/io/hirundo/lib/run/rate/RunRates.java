package io.hirundo.lib.run.rate;

import io.hirundo.ConfigurationException;
import io.hirundo.lib.run.section.TrainingSection;
import io.hirundo.optimizer.LearningRateSchedule;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.LongStream;

/**
 * The learning rate of each step of a run. After the schedule's last step its rate stays.
 *
 * @param schedule for the batch of the run
 * @param span the steps that it covers
 */
public record RunRates(LearningRateSchedule schedule, ScheduleSpan span) {
    /** Steps whose learning rate is checked. */
    private static final int LOOKS = 1_000;

    /** A relative difference of two rates that only rounding makes. */
    private static final double ROUNDING = 1e-9;

    /** Rates of a schedule for the batch of this run. */
    public static RunRates of(LearningRateSchedule schedule, TrainingSection training, ScheduleSpan span) {
        long samples = training.globalBatch();
        return new RunRates(schedule.forBatch(samples, samples * training.sequenceTokens()), span);
    }

    /**
     * The rate of a step.
     *
     * @param step of the run, from 1; after {@code span.began()}
     */
    public double at(long step) {
        return schedule.at(Math.min(step - span.began(), span.steps()), span.steps());
    }

    /**
     * Rejects a rate that no optimizer can use. A NaN would reach the weights before a loss shows it.
     *
     * @throws ConfigurationException names the step
     */
    public void require(long step) {
        double rate = at(step);
        if (!(rate >= 0 && Double.isFinite(rate))) {
            throw new ConfigurationException(
                    "learningRate: " + rate + " at step " + step + "; allowed: a finite number of at least 0");
        }
    }

    /** As {@link #require}, for every step of a short interval, or a sample of the steps of a long one. */
    public void requireAll(long first, long last) {
        looks(first, last).forEach(this::require);
    }

    /** All steps of a short interval, or a sample of a long one with both ends. */
    static LongStream looks(long first, long last) {
        long steps = last - first + 1;
        return steps <= LOOKS
                ? LongStream.rangeClosed(first, last)
                : LongStream.range(0, LOOKS).map(look -> first + (long) ((double) look / (LOOKS - 1) * (steps - 1)));
    }

    /** A line about a run that does not end with its schedule, for a log; empty if it does. */
    public Optional<String> note(long lastStep) {
        if (lastStep > span.end()) {
            return Optional.of("learningRate: the schedule ends with step " + span.end()
                    + " (training.scheduleSteps), and " + steps(span.end() + 1, lastStep) + " its last rate, "
                    + text(at(span.end())) + (at(span.end()) == 0 ? ", which trains nothing" : ""));
        }
        return lastStep == span.end()
                ? Optional.empty()
                : Optional.of(
                        "learningRate: the run ends with step " + lastStep + ", before its schedule does with step "
                                + span.end() + " (training.scheduleSteps), at the rate " + text(at(lastStep)));
    }

    /** Whether schedules of both lengths have the same rates in these steps. */
    boolean hasRatesOf(RunRates other, long first, long last) {
        return first > last || looks(first, last).allMatch(step -> isClose(at(step), other.at(step)));
    }

    private static boolean isClose(double one, double other) {
        return Math.abs(one - other) <= ROUNDING * Math.max(Math.abs(one), Math.abs(other));
    }

    /** The same schedule over other steps. */
    public RunRates over(ScheduleSpan other) {
        return new RunRates(schedule, other);
    }

    static String steps(long first, long last) {
        return first == last ? "step " + first + " has" : "steps " + first + " to " + last + " have";
    }

    /** Three digits, as rates are usually written. */
    public static String text(double rate) {
        return rate == 0
                ? "0"
                : String.format(Locale.ROOT, "%.3g", rate)
                        .replaceFirst("\\.?0+(e|$)", "$1")
                        .replaceFirst("e-0+", "e-");
    }
}
