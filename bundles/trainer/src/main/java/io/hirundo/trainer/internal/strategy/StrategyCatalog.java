package io.hirundo.trainer.internal.strategy;

import io.hirundo.strategy.Choice;
import io.hirundo.strategy.StrategyRegistry;
import io.hirundo.trainer.internal.binding.ChoiceResolver;
import java.util.List;
import java.util.Map;

/** The registry as the trainer itself sees it: with the factories, and able to check a choice without making anything. */
public interface StrategyCatalog extends StrategyRegistry, ChoiceResolver {
  /** All that are there, by kind and name. */
  List<Offer> offers();

  /** Those that are there and cannot be chosen, since another one serves their name: it, by them. */
  default Map<Offer, Offer> hidden() {
    return Map.of();
  }

  /** As {@link #create}, held until {@link #release}. */
  <S> Lease lease(Class<S> contract, Choice choice, String path);

  /** Holds once more what is held already. */
  Lease hold(Lease lease);

  /** Ends a {@link #lease} or {@link #hold}. */
  void release(Lease lease);

  /** Whether it is this offer that serves its name. */
  boolean serves(Offer offer);

  /** Whether the bundle of this offer still makes it, be it that another one serves its name. */
  boolean isThere(Offer offer);

  /** Runs whenever an offer comes or goes, on the thread that brings it, before a bundle that goes is waited for. */
  Registration onChange(Runnable listener);

  /** Undoes an {@link #onChange}. */
  interface Registration extends AutoCloseable {
    @Override
    void close();
  }
}
