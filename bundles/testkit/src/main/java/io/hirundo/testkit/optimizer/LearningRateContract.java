package io.hirundo.testkit.optimizer;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.optimizer.LearningRateSchedule;
import io.hirundo.testkit.bench.Clause;
import io.hirundo.testkit.fixture.AtOnce;
import java.util.Arrays;
import java.util.List;
import java.util.stream.LongStream;

/** Contract tests for a {@link LearningRateSchedule}. */
public interface LearningRateContract {
    /** Lengths of the runs that clauses look at, in steps. */
    List<Long> RUNS = List.of(1L, 2L, 7L, 100L, 5_000L, 10_000_000_000L);

    /** Of a run of this length some step has the peak. */
    long LONG_RUN = 5_000;

    /** A new schedule, always with the same options. */
    LearningRateSchedule schedule();

    /** The highest rate with these options. A run of {@link #LONG_RUN} steps reaches 99 % of it. */
    double peak();

    @Clause(
            value = "Every step of a run of any length has a finite rate of at least 0: others would reach the weights",
            remedy =
                    "at(): divisions by totalSteps minus warm-up steps, roots and powers at the first and the last step; overflow of int")
    default void ratesAreFinite() {
        LearningRateSchedule schedule = schedule();
        for (long run : RUNS) {
            for (long step : steps(run)) {
                double rate = schedule.at(step, run);
                assertTrue(rate >= 0 && Double.isFinite(rate), () -> "the rate is " + rate + at(step, run));
            }
        }
    }

    @Clause(
            value = "No rate is above the peak, and a long run reaches it",
            remedy = "at(): the border between warm-up and decay, which of both a step belongs to; steps count from 1")
    default void peakIsTheHighestRate() {
        LearningRateSchedule schedule = schedule();
        for (long run : RUNS) {
            for (long step : steps(run)) {
                double rate = schedule.at(step, run);
                // Rounding of the last step of a warm-up.
                assertFalse(
                        rate > peak() * (1 + 1e-12),
                        () -> "the rate is " + rate + at(step, run) + ", the peak " + peak());
            }
        }
        double highest = LongStream.rangeClosed(1, LONG_RUN)
                .mapToDouble(step -> schedule.at(step, LONG_RUN))
                .max()
                .orElseThrow();
        assertTrue(
                highest >= 0.99 * peak(),
                () -> "the highest rate of " + LONG_RUN + " steps is " + highest + ", the peak " + peak());
    }

    @Clause(
            value =
                    "A rate depends on step and length of the run only: a resumed run asks for later steps alone, a plan for some",
            remedy = "fields that at() changes: compute every rate from its arguments")
    default void ratesFollowFromStepAndRun() {
        LearningRateSchedule schedule = schedule();
        for (long run : RUNS) {
            long[] steps = steps(run);
            double[] inOrder = rates(schedule, steps, run);
            double[] backwards = new double[steps.length];
            for (int i = steps.length - 1; i >= 0; i--) {
                schedule.at(steps[i], run + 1);
                backwards[i] = schedule.at(steps[i], run);
            }
            assertArrayEquals(inOrder, backwards, () -> "rates of a run of " + run + " steps, in order and backwards");
            assertArrayEquals(
                    inOrder,
                    rates(schedule(), steps, run),
                    () -> "rates of a run of " + run + " steps by a new schedule");
        }
    }

    @Clause(
            value = "at() is thread-safe: ranks that are threads of one process share a schedule",
            remedy = "at(): no caches, no shared buffers")
    default void threadsGetTheSameRates() {
        LearningRateSchedule schedule = schedule();
        long[] steps = steps(LONG_RUN);
        double[] expected = rates(schedule, steps, LONG_RUN);
        AtOnce.run(
                4,
                thread -> assertArrayEquals(
                        expected, rates(schedule, steps, LONG_RUN), () -> "rates of thread " + thread));
    }

    private static double[] rates(LearningRateSchedule schedule, long[] steps, long run) {
        return Arrays.stream(steps).mapToDouble(step -> schedule.at(step, run)).toArray();
    }

    /** All steps of a short run; begin, end, and some between of a long one. */
    private static long[] steps(long run) {
        return LongStream.concat(
                        LongStream.concat(
                                LongStream.rangeClosed(1, 200),
                                LongStream.rangeClosed(1, 40).map(part -> run / 41 * part)),
                        LongStream.rangeClosed(run - 20, run))
                .filter(step -> step >= 1 && step <= run)
                .sorted()
                .distinct()
                .toArray();
    }

    private static String at(long step, long run) {
        return " at step " + step + " of " + run;
    }
}
