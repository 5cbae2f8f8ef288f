package io.hirundo.lib.run.strategy;

import io.hirundo.lib.configuration.binding.ChoiceResolver;
import io.hirundo.strategy.Choice;
import io.hirundo.strategy.StrategyRegistry;
import java.util.List;
import java.util.Map;

/** The registry as runs, plans and commands see it: with factories, and able to check a choice without creating the strategy. */
public interface StrategyCatalog extends StrategyRegistry, ChoiceResolver {
    /** All installed strategies, by kind and name. */
    List<Offer> offers();

    /** Strategies that cannot be chosen because another one serves their name: hidden one to serving one. */
    default Map<Offer, Offer> hidden() {
        return Map.of();
    }

    /** As {@link #create}, held until {@link #release}. */
    <S> Lease lease(Class<S> contract, Choice choice, String path);

    /** Adds a hold to a lease that is already held. */
    Lease hold(Lease lease);

    /** Ends a {@link #lease} or {@link #hold}. */
    void release(Lease lease);

    /** Whether this offer serves its name. */
    boolean serves(Offer offer);

    /** Whether the bundle of this offer is still active, even if another one serves its name. */
    boolean isThere(Offer offer);

    /** Runs whenever an offer comes or goes, on the thread that changes it, before the wait for a stopping bundle. */
    Registration onChange(Runnable listener);

    /** Undoes an {@link #onChange}. */
    interface Registration extends AutoCloseable {
        @Override
        void close();
    }
}
