package io.hirundo.trainer.internal.session;

import io.hirundo.event.TrainingEvent.StepMetrics;
import io.hirundo.lib.engine.accounting.CountedFabric;
import io.hirundo.lib.engine.accounting.StepWork;
import io.hirundo.lib.engine.step.KernelTimesInstrument;
import io.hirundo.lib.engine.step.StepRunner;
import io.hirundo.lib.engine.step.StepSignals;
import io.hirundo.lib.run.config.Intervals;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;

/** The steps of a run's ranks in this process, timed and reported one after the other. */
final class StepSequence {
    private final LocalRun run;
    private final StepClock clock = new StepClock();
    private StepReport last = StepReport.NONE;
    private boolean hasParityChecked;

    StepSequence(LocalRun run) {
        this.run = run;
    }

    /**
     * Does a step on all ranks. Collective.
     *
     * @param step its number
     * @param first the process's first rank, whose figures are those of all
     * @param own called near the end of the step
     */
    StepMetrics next(long step, RankRun first, Supplier<StepSignals> own) {
        run.ranks().ledger(0).clearWork();
        hasParityChecked = false;
        Optional<KernelTimesInstrument> timed =
                Intervals.isDue(step, run.configuration().evaluation().kernelTimesEverySteps())
                        ? Optional.of(new KernelTimesInstrument(run.device()))
                        : Optional.empty();
        StepRunner.Outcome outcome = run.onEachRank(
                        rank -> rank.step(own, rank == first ? timed.stream().toList() : List.of()))
                .getFirst();
        last = new StepReport(
                outcome.signals(),
                collectiveBytes(),
                timed.flatMap(KernelTimesInstrument::times),
                first.rounding(),
                first.fingerprints());
        StepWork work = run.configuration().training().step().work(run.spec());
        return new StepMetrics(
                outcome.loss(),
                outcome.gradientNorm(),
                first.rateOf(step),
                work.tokens(),
                clock.stepNanos(),
                work.modelFlops());
    }

    private Map<String, Long> collectiveBytes() {
        var bytes = new LinkedHashMap<String, Long>();
        CountedFabric.collectives(run.ranks().ledger(0).work())
                .forEach((name, work) -> bytes.put(name, work.movedBytes()));
        return bytes;
    }

    /** The report of the last step. */
    StepReport last() {
        return last;
    }

    /** Records that a parity check runs, so the next step prepares more weights than usual. */
    void beginParityCheck() {
        hasParityChecked = true;
    }

    /** Whether a parity check ran since the last step. */
    boolean ranParityCheck() {
        return hasParityChecked;
    }

    /** The time until now counts with the next step. */
    void carryClock() {
        clock.carry();
    }

    /** Excludes the time until now from the next step's time. */
    void resetClock() {
        clock.reset();
    }
}
