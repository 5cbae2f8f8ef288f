package io.hirundo.lib.run.rate;

import io.hirundo.ConfigurationException;
import io.hirundo.lib.run.section.TrainingSection;
import java.util.Optional;
import java.util.function.Function;

/**
 * The learning-rate schedule of a resumed run. Without a choice the schedule of the checkpoint stays, and a configuration that would move the
 * rate is rejected.
 *
 * @param rates of the configuration; their span is not used
 * @param training of the configuration
 * @param step of the checkpoint
 * @param saved the checkpoint's schedule, as far as it says
 * @param choice of the user
 * @param command the command that resumes the run, with this choice added
 */
public record ScheduleContinuation(
        RunRates rates,
        TrainingSection training,
        long step,
        SavedSchedule saved,
        ScheduleChoice choice,
        Function<ScheduleChoice, String> command) {
    /**
     * What continues.
     *
     * @param span of the schedule from now on
     * @param line about a schedule that the user changed, for logs
     */
    public record Outcome(ScheduleSpan span, Optional<String> line) {}

    /**
     * Decides.
     *
     * @throws ConfigurationException with the commands to choose from
     */
    public Outcome decide() {
        return switch (choice) {
            case UNCHANGED -> new Outcome(unchanged(), Optional.empty());
            case KEEP -> new Outcome(known(), Optional.empty());
            case STRETCH -> changed(stretched(), "the schedule now ends with step ");
            case RESTART -> changed(restarted(), "a new schedule begins, with its warm-up, and ends with step ");
        };
    }

    private Outcome changed(ScheduleSpan span, String what) {
        RunRates next = rates.over(span);
        next.requireAll(step + 1, training.steps());
        String before = saved.span()
                .map(old -> rates.over(old).at(Math.max(step, old.began() + 1)))
                .map(rate -> ", after " + RunRates.text(rate))
                .orElse("");
        return new Outcome(
                span,
                Optional.of("learningRate: " + what + span.end() + "; step " + (step + 1) + " has the rate "
                        + RunRates.text(next.at(step + 1)) + before));
    }

    private long configured() {
        return training.scheduleSteps();
    }

    /** Whether the configuration asks for another length than the checkpoint's. */
    private boolean isOther() {
        return configured() > 0
                && saved.span().map(span -> span.steps() != configured()).orElse(true);
    }

    private ScheduleSpan stretched() {
        long began = saved.span().map(ScheduleSpan::began).orElse(0L);
        return new ScheduleSpan(began, isOther() ? configured() : training.steps() - began);
    }

    private ScheduleSpan restarted() {
        return new ScheduleSpan(step, isOther() ? configured() : training.steps() - step);
    }

    /** The checkpoint's schedule. A checkpoint that does not record it continues where its length makes no difference. */
    private ScheduleSpan known() {
        var ofRun = new ScheduleSpan(0, training.steps());
        return saved.span()
                .or(() -> configured() > 0 ? Optional.of(new ScheduleSpan(0, configured())) : Optional.empty())
                .or(() -> isFree(ofRun) ? Optional.of(ofRun) : Optional.empty())
                .orElseThrow(() -> new ConfigurationException("training.scheduleSteps: the checkpoint of step " + step
                        + " does not record the length of its learning-rate schedule; add --set training.scheduleSteps=N with the steps that its run"
                        + " had, or begin a new schedule with " + command.apply(ScheduleChoice.RESTART)));
    }

    /** Whether the length of the schedule changes none of its rates, as with a constant rate. */
    private boolean isFree(ScheduleSpan span) {
        return rates.over(span)
                .hasRatesOf(
                        rates.over(new ScheduleSpan(span.began(), 2 * span.steps() + 1)), span.began() + 1, span.end());
    }

    private ScheduleSpan unchanged() {
        ScheduleSpan old = known();
        if (isOther()) {
            var other = new ScheduleSpan(old.began(), configured());
            requireSameRates(old, other);
            return other;
        }
        boolean isExtended = training.steps() > old.end();
        var longer = new ScheduleSpan(old.began(), Math.max(1, training.steps() - old.began()));
        // Later steps, too: one that has only warmed up so far has its rates by length after that.
        if (isExtended && isFree(old) && isFree(longer)) {
            // A schedule like the inverse square root has rates for all steps.
            rates.over(longer).requireAll(step + 1, training.steps());
            return longer;
        }
        boolean isNew = saved.runSteps() != training.steps();
        if (isExtended && isNew && rates.over(old).at(old.end()) == 0) {
            throw new ConfigurationException("training.steps: " + training.steps()
                    + " extends the run beyond its learning-rate schedule, which ends with step " + old.end()
                    + " and the rate 0, so that later steps would train nothing; " + choices(old));
        }
        return old;
    }

    private void requireSameRates(ScheduleSpan old, ScheduleSpan other) {
        RunRates was = rates.over(old);
        RunRates is = rates.over(other);
        is.requireAll(step + 1, training.steps());
        if (!is.hasRatesOf(was, old.began() + 1, step + 1)) {
            throw new ConfigurationException("training.scheduleSteps: " + other.steps()
                    + " moves the learning rate: the checkpoint's schedule of " + old.steps() + " steps gives step "
                    + (step + 1) + " the rate " + RunRates.text(was.at(step + 1)) + ", and this one "
                    + RunRates.text(is.at(step + 1)) + "; " + choices(old));
        }
    }

    private String choices(ScheduleSpan old) {
        return "choose one: keep the schedule and its last rate, "
                + RunRates.text(rates.over(old).at(old.end())) + ", with "
                + command.apply(ScheduleChoice.KEEP) + "; stretch it to step "
                + stretched().end() + ", so that step " + (step + 1) + " has the rate "
                + RunRates.text(rates.over(stretched()).at(step + 1)) + ", with "
                + command.apply(ScheduleChoice.STRETCH) + "; warm up again from step "
                + (step + 1) + " with " + command.apply(ScheduleChoice.RESTART);
    }
}
