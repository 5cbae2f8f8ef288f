package io.hirundo.trainer.internal.swap;

import io.hirundo.ConfigurationException;
import io.hirundo.StorageException;
import io.hirundo.event.TrainingEvent;
import io.hirundo.event.TrainingListener;
import io.hirundo.lib.engine.strategy.Strategies;
import io.hirundo.lib.run.change.RunPart;
import io.hirundo.lib.run.config.ConfigurationBinder;
import io.hirundo.lib.run.config.ConfigurationDifference;
import io.hirundo.lib.run.config.RunConfiguration;
import io.hirundo.lib.run.rate.RunRates;
import io.hirundo.lib.run.strategy.RunStrategies;
import io.hirundo.lib.run.strategy.StrategyDifference;
import io.hirundo.train.ChangeProgress.Phase;
import io.hirundo.train.Decision;
import io.hirundo.trainer.internal.checkpoint.RunCheckpoints;
import io.hirundo.trainer.internal.record.EventHub;
import io.hirundo.trainer.internal.record.RunDirectory;
import io.hirundo.trainer.internal.session.LocalRun;
import io.hirundo.trainer.internal.session.RunDescription;
import io.hirundo.trainer.internal.session.RunWarnings;
import io.hirundo.trainer.internal.session.StrategyChange;
import io.hirundo.trainer.internal.steer.ChangeClock;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Replaces strategies of a run between two steps. Every process prepares the new strategies and reports whether it can, all run the parity
 * check, and then all take them or none does. After a rejection everything is as before.
 */
public final class StrategySwap {
    private static final Logger LOG = LoggerFactory.getLogger(StrategySwap.class);

    private final LocalRun run;
    private final RunStrategies strategies;
    private final RunCheckpoints checkpoints;
    private final RunDirectory directory;
    private final EventHub events;
    private final RunWarnings warnings;
    private final ChangeClock clock;
    private final ProcessAgreement agreement;
    private RunConfiguration before;

    public StrategySwap(
            LocalRun run,
            RunStrategies strategies,
            RunCheckpoints checkpoints,
            RunDirectory directory,
            EventHub events,
            RunWarnings warnings,
            ChangeClock clock) {
        this.run = run;
        this.strategies = strategies;
        this.checkpoints = checkpoints;
        this.directory = directory;
        this.events = events;
        this.warnings = warnings;
        this.clock = clock;
        this.agreement = new ProcessAgreement(run);
    }

    /**
     * A requested change.
     *
     * @param gated whether the parity check decides
     * @param keepsUndo whether {@link #undo} still returns to the same configuration as before this change
     * @param renews whether strategies move to bundles that have replaced their bundles
     */
    private record Wanted(List<String> assignments, String reason, boolean gated, boolean keepsUndo, boolean renews) {}

    /**
     * Changes the configuration. All processes must call this with the same assignments.
     *
     * @param watched whether the loss monitor still watches an earlier change; {@link #undo} then reverts both
     */
    public Decision change(List<String> assignments, boolean watched) {
        return attempt(
                new Wanted(assignments, "requested", true, watched, false),
                () -> new ConfigurationBinder(strategies.catalog())
                        .bind("", ConfigurationBinder.values(strategies.configuration()), assignments));
    }

    /** Acquires new leases for strategies whose bundles have stopped or were replaced. */
    public Decision refresh(String reason) {
        return attempt(new Wanted(List.of(), reason, true, true, true), strategies::configuration);
    }

    /** Returns to the configuration before the watched change. */
    public Decision undo(String reason) {
        RunConfiguration back = before;
        return attempt(new Wanted(List.of(), reason, false, false, false), () -> back);
    }

    /** Closes what the strategies at these paths have created, and releases their bundles. Paths without a strategy are ignored. */
    public void letGo(Set<String> paths) {
        StrategyDifference lost = StrategyDifference.of(paths);
        if (lost.affects(RunPart.CHECKPOINT)) {
            checkpoints.close();
        }
        if (lost.affects(RunPart.STORE)) {
            checkpoints.copies().close();
        }
        run.release(lost);
        strategies.release(paths);
    }

    private Decision attempt(Wanted wanted, Supplier<RunConfiguration> configuration) {
        long begin = System.nanoTime();
        var attempt = new Attempt();
        try {
            Optional<String> rejection = clock.time(Phase.PREPARE, () -> prepare(wanted, configuration, attempt));
            String parity = "";
            if (rejection.isEmpty() && wanted.gated() && attempt.change.needsParityCheck()) {
                var verdict = clock.time(Phase.PARITY_CHECK, attempt.change::checkParity);
                parity = verdict.text();
                rejection = verdict.passed() ? rejection : Optional.of("the parity check: " + parity);
            }
            if (rejection.isPresent()) {
                return rejected(wanted, rejection.get());
            }
            String compared = parity;
            return clock.time(Phase.COMMIT, () -> commit(wanted, attempt, compared, begin));
        } finally {
            checkpoints.copies().discard();
            attempt.close();
        }
    }

    /** Builds the new strategies in each process. Why none can take them, if so. */
    private Optional<String> prepare(Wanted wanted, Supplier<RunConfiguration> configuration, Attempt attempt) {
        return agreement
                .attempt(() -> {
                    attempt.next = strategies.next(possible(configuration.get()), wanted.renews());
                    attempt.change = new StrategyChange(run, attempt.next);
                    attempt.change.check();
                    return fingerprint(attempt.next);
                })
                .or(() -> agreement.attempt(() -> {
                    attempt.change.prepare();
                    return "";
                }));
    }

    /** Takes the new strategies, unless a new store or checkpoint strategy cannot open. */
    private Decision commit(Wanted wanted, Attempt attempt, String parity, long begin) {
        Optional<String> rejection = Optional.empty();
        if (attempt.change.changes().affects(RunPart.STORE)) {
            rejection = prepareStore(attempt.next);
        }
        if (rejection.isEmpty() && attempt.change.changes().affects(RunPart.CHECKPOINT)) {
            rejection = exchangeCheckpoints(attempt.next.strategies());
        }
        return rejection.isPresent() ? rejected(wanted, rejection.get()) : taken(wanted, attempt, parity, begin);
    }

    /** The objects created by an attempt. Closing frees what was not taken. */
    private static final class Attempt implements AutoCloseable {
        private RunStrategies.Next next;
        private StrategyChange change;

        @Override
        public void close() {
            // The leases end last, even if the strategies' objects fail to close.
            try (var _ = next) {
                if (change != null) {
                    change.close();
                }
            }
        }
    }

    /**
     * Two strategies cannot use the same folder, so the current one finishes its saves before the new one opens. If that fails in one
     * process, all reopen the current one.
     */
    private Optional<String> exchangeCheckpoints(Strategies next) {
        checkpoints.close();
        Optional<String> rejection =
                agreement.attempt(() -> checkpoints.open(next.outcome().checkpoint()));
        if (rejection.isPresent()) {
            checkpoints.close();
            if (strategies.has("checkpoint.strategy")) {
                checkpoints.open(run.strategies().outcome().checkpoint());
            }
        }
        return rejection;
    }

    /** Opens the new store while the current one stays open; stores do not conflict. */
    private Optional<String> prepareStore(RunStrategies.Next next) {
        return agreement.attempt(() -> checkpoints
                .copies()
                .prepare(
                        next.strategies().outcome().store(),
                        next.configuration().run().name()));
    }

    private RunConfiguration possible(RunConfiguration next) {
        List<String> impossible = ConfigurationDifference.between(strategies.configuration(), next)
                .impossible();
        if (!impossible.isEmpty()) {
            throw new ConfigurationException(String.join(", ", impossible)
                    + ": cannot change during a run; stop it, and continue with --resume and --set");
        }
        return next;
    }

    /**
     * Checks that all processes agree. To be called before the first step.
     *
     * @throws ConfigurationException if processes have different bundles or configurations
     */
    public void requireAgreement() {
        if (!run.ranks().areAll()) {
            agreement.compare(strategies.fingerprint()).ifPresent(reason -> {
                throw new ConfigurationException(reason);
            });
        }
    }

    /** What processes must agree on: the configuration, and the exact bundles of its strategies. */
    private String fingerprint(RunStrategies.Next next) {
        return run.ranks().areAll() ? "" : next.fingerprint();
    }

    private Decision rejected(Wanted wanted, String reason) {
        events.on(new TrainingEvent.ChangeRejected(run.stepsDone(), wanted.assignments(), reason));
        return new Decision(false, run.stepsDone(), reason);
    }

    private Decision taken(Wanted wanted, Attempt attempt, String parity, long begin) {
        var next = attempt.next;
        var changes = new ArrayList<>(
                describe(ConfigurationDifference.between(strategies.configuration(), next.configuration()), next));
        if (!wanted.keepsUndo()) {
            before = strategies.configuration();
        }
        List<TrainingListener> monitors = strategies.monitors();
        double rate = run.rates().at(run.stepsDone() + 1);
        attempt.change.take().ifPresent(changes::add);
        if (attempt.change.changes().affects(RunPart.STORE)) {
            checkpoints.copies().take(next.configuration());
        }
        double nextRate = run.rates().at(run.stepsDone() + 1);
        if (nextRate != rate) {
            changes.add("learning rate of step " + (run.stepsDone() + 1) + ": " + RunRates.text(rate) + " to "
                    + RunRates.text(nextRate));
        }
        if (attempt.change.changes().affects(RunPart.PRECISION)) {
            changes.addAll(new RunDescription(run).products());
        }
        next.take();
        strategies.monitors().stream()
                .filter(monitor -> directory.leads() && !monitors.contains(monitor))
                .forEach(monitor -> events.deliver(monitor, new RunDescription(run).started(directory)));
        writeConfiguration(run.recorded(next.configuration()));
        events.on(new TrainingEvent.StrategiesChanged(
                run.stepsDone(), changes, wanted.reason(), parity, System.nanoTime() - begin));
        warnings.tell();
        return new Decision(
                true, run.stepsDone(), String.join("; ", changes) + (parity.isEmpty() ? "" : " (" + parity + ")"));
    }

    /** A failure is only logged, because the file matters only for a later --resume. */
    private void writeConfiguration(RunConfiguration configuration) {
        try {
            directory.writeConfiguration(ConfigurationBinder.json(configuration));
        } catch (StorageException failure) {
            LOG.error(
                    "{}; --resume would use the strategies from before the change: repeat the same --set",
                    failure.getMessage());
        }
    }

    private List<String> describe(ConfigurationDifference difference, RunStrategies.Next next) {
        var bundles = strategies.outdated().stream()
                .map(lease -> lease.path() + ": " + lease.offer().name() + " of "
                        + lease.offer().bundle() + " to " + next.bundleOf(lease.path()));
        var all = new ArrayList<>(Stream.concat(difference.changes().stream().map(Object::toString), bundles)
                .toList());
        return all.isEmpty() ? List.of("nothing differs") : all;
    }
}
