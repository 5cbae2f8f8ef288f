package io.hirundo.trainer.internal.session;

import io.hirundo.lib.engine.lifecycle.Leftovers;
import io.hirundo.lib.engine.strategy.Strategies;
import io.hirundo.lib.run.config.RunConfiguration;
import io.hirundo.lib.run.fit.LayoutCheck;
import io.hirundo.lib.run.strategy.RunStrategies;
import io.hirundo.lib.run.strategy.StrategyDifference;
import io.hirundo.optimizer.Optimizer;
import io.hirundo.parallel.ShardGroups;
import io.hirundo.trainer.internal.data.RunData;
import io.hirundo.trainer.internal.gate.ParityGate;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/**
 * A run's next strategies on all ranks of this process: built next to those in use, checked for parity, then taken together
 * or closed.
 */
public final class StrategyChange implements AutoCloseable {
    private final LocalRun run;
    private final RunConfiguration configuration;
    private final Strategies strategies;
    private final StrategyDifference changes;
    private final Map<RankRun, PreparedRank> prepared = new ConcurrentHashMap<>();
    private RunData data;
    private ParityGate gate;
    private boolean taken;

    /** {@code next}: not taken yet, and open as long as this is. */
    public StrategyChange(LocalRun run, RunStrategies.Next next) {
        this.run = run;
        this.configuration = next.configuration();
        this.strategies = next.strategies();
        this.changes = next.changes();
    }

    RunConfiguration configuration() {
        return configuration;
    }

    Strategies strategies() {
        return strategies;
    }

    public StrategyDifference changes() {
        return changes;
    }

    /** The new data, where it changes. */
    Optional<RunData> data() {
        return Optional.ofNullable(data);
    }

    PreparedRank of(RankRun rank) {
        return prepared.get(rank);
    }

    /** Rejects strategies that the configuration and the layout exclude. No collectives: each process fails on its own. */
    public void check() {
        LayoutCheck.check(configuration, run.spec(), strategies);
    }

    /**
     * Builds the next strategies. No collectives: each process fails on its own. All processes must call this if one does, because ranks count
     * the groups that they make, and these counts must stay equal: so groups come first, before anything that can fail on one process alone.
     */
    public void prepare() {
        run.attemptOnEachRank(rank -> ShardGroups.of(
                rank.model().rank().world(), strategies.parallel().data()));
        if (changes.data()) {
            data = RunData.open(configuration, strategies.data(), run.data().cursorAfter(run.samplesDone()));
            data.rehearse(configuration, run.spec().vocabulary(), run.stepsDone());
        }
        gate = new ParityGate(
                configuration.swap().gate(), strategies.compute().precision().parity());
        Optimizer current = run.strategies().step().optimizer();
        run.attemptOnEachRank(rank -> prepared.put(rank, rank.prepare(current, configuration, strategies, changes)));
    }

    /** Whether the change affects computation and data is available, so that a parity check is possible. */
    public boolean needsParityCheck() {
        return changes.blocks()
                && configuration.swap().gate().enabled()
                && run.device().computes()
                && run.data().isThere();
    }

    /** The worst verdict of all ranks. Collective. */
    public ParityGate.Verdict checkParity() {
        run.triesOut();
        List<ParityGate.Verdict> own =
                run.onEachRank(rank -> rank.checkParity(of(rank), changes, configuration, strategies, gate));
        String worst = ParityGate.Verdict.worst(own.stream()).line();
        run.resetClock();
        return ParityGate.Verdict.worst(run.exchange(worst).stream().map(ParityGate.Verdict::parse));
    }

    /** Switches to what was prepared. Returns what becomes of the optimizer's state, where another optimizer takes over. */
    public Optional<String> take() {
        // The run owns what was prepared, even if a later call fails.
        taken = true;
        return run.take(this);
    }

    /** Closes what was not taken. */
    @Override
    public void close() {
        if (taken) {
            return;
        }
        run.attemptOnEachRank(rank -> {
            PreparedRank made = prepared.remove(rank);
            if (made != null) {
                Leftovers.close("strategies of a discarded change", made::close);
            }
            return null;
        });
        if (data != null) {
            Leftovers.close("the data of a discarded change", data::close);
        }
    }
}
