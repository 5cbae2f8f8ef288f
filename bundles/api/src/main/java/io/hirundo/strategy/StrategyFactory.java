package io.hirundo.strategy;

import org.osgi.annotation.versioning.ConsumerType;

/**
 * Offers one strategy, as an OSGi service with the properties of {@link HirundoStrategy}. A configuration chooses it as
 * {@code {name, options}}.
 *
 * <p>The options are a record with a public constructor without arguments that states the defaults; its components may be
 * numbers, strings, booleans, enums, lists, maps, nested records and {@link Choice}s, each documented by {@link Setting}.
 *
 * @param <O> the options
 * @param <S> the contract that the strategy fulfils, {@code PrecisionStrategy} for instance
 */
@ConsumerType
public interface StrategyFactory<O extends Record, S> {
  Class<O> optionsType();

  /** The contract; decides which choices of a configuration this factory serves. */
  Class<S> contract();

  /**
   * Makes the configured strategy. Opens no device, data or connection; where the contract is {@code AutoCloseable}, a
   * tokenizer with its files read for instance, the caller closes it.
   *
   * @throws io.hirundo.ConfigurationException for options that cannot work together
   */
  S create(O options);
}
