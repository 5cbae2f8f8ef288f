package io.hirundo.trainer.internal.loop;

import io.hirundo.lib.run.strategy.Lease;
import io.hirundo.lib.run.strategy.RunStrategies;
import io.hirundo.lib.run.strategy.StrategyCatalog;
import io.hirundo.trainer.internal.session.LocalRun;
import io.hirundo.trainer.internal.swap.StrategySwap;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Tracks strategies that bundles offer or withdraw while a run uses them. */
final class OfferChanges implements AutoCloseable {
    private static final String SERVED = "+";

    private final LocalRun run;
    private final RunStrategies strategies;
    private final StrategySwap swap;
    private final StrategyCatalog.Registration registration;
    /** Whether the offers have changed since the last check. */
    private final AtomicBoolean changed = new AtomicBoolean();

    /** Registers a listener for changes of offers. */
    OfferChanges(LocalRun run, RunStrategies strategies, StrategySwap swap) {
        this.run = run;
        this.strategies = strategies;
        this.swap = swap;
        this.registration = strategies.catalog().onChange(() -> changed.set(true));
        // Covers changes while the run was opened.
        changed.set(true);
    }

    /** Whether offers have changed in this process since {@link #takeChanged}. */
    boolean haveChanged() {
        return changed.get();
    }

    /** As {@link #haveChanged}, and resets the flag. */
    boolean takeChanged() {
        return changed.getAndSet(false);
    }

    /**
     * Replaces strategies whose bundles have stopped by other offers, and releases those without a replacement. Collective.
     *
     * @return false if every strategy in use is still offered
     */
    boolean follow() {
        String stale = strategies.stale().stream()
                .map(lease -> lease.path() + " " + lease.offer().name())
                .collect(Collectors.joining(", "));
        List<String> said = run.exchange((strategies.isServed() ? SERVED : "-") + stale + strategies.missing());
        if (said.stream().allMatch(SERVED::equals)) {
            return false;
        }
        // Without a replacement there is no attempt; the pause reports what is missing.
        boolean replaced = said.stream().allMatch(text -> text.startsWith(SERVED))
                && swap.refresh("bundles came or went: " + (stale.isEmpty() ? strategies.missing() : stale))
                        .granted();
        if (!replaced) {
            // A strategy that is missing in one process is released in all, because no process can run a step alone.
            String gone = strategies.gone().stream().map(Lease::path).collect(Collectors.joining(" "));
            swap.letGo(run.exchange(gone).stream()
                    .flatMap(text -> Stream.of(text.split(" ")))
                    .collect(Collectors.toSet()));
        }
        return true;
    }

    @Override
    public void close() {
        registration.close();
    }
}
