package io.hirundo.strategy;

import java.util.List;
import org.osgi.annotation.versioning.ProviderType;

/** Finds strategies by contract and name and binds their options. An OSGi service. Thread-safe. */
@ProviderType
public interface StrategyRegistry {
  /** All that are there, by kind and name. */
  List<StrategyInfo> list();

  /**
   * Makes a chosen strategy.
   *
   * @param contract what it must fulfil
   * @param choice name and options
   * @param path where the choice stands in the configuration, for messages: {@code device} for instance
   * @throws io.hirundo.ConfigurationException for an unknown name (the message lists those that are there) or options that
   *     are unknown, of a wrong type or out of bounds (the message names path, value and what is allowed)
   */
  <S> S create(Class<S> contract, Choice choice, String path);
}
