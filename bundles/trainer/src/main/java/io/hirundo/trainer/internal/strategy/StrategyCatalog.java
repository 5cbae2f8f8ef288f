package io.hirundo.trainer.internal.strategy;

import io.hirundo.strategy.StrategyRegistry;
import io.hirundo.trainer.internal.binding.ChoiceResolver;
import java.util.List;

/** The registry as the trainer itself sees it: with the factories, and able to check a choice without making anything. */
public interface StrategyCatalog extends StrategyRegistry, ChoiceResolver {
  /** All that are there, by kind and name. */
  List<Offer> offers();
}
