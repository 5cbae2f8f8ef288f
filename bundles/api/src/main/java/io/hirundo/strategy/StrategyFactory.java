package io.hirundo.strategy;

import java.util.Map;
import org.osgi.annotation.versioning.ConsumerType;

/**
 * Creates one strategy. Register it as an OSGi service with the properties of {@link HirundoStrategy}. A configuration selects it
 * as {@code {name, options}}.
 *
 * <p>The options are a record. Its public no-argument constructor sets the defaults. Components may be numbers, strings,
 * booleans, enums, lists, maps, nested records and {@link Choice}s, each documented by {@link Setting}.
 *
 * @param <O> the options
 * @param <S> the contract, for instance {@code PrecisionStrategy}
 */
@ConsumerType
public interface StrategyFactory<O extends Record, S> {
    Class<O> optionsType();

    /** The contract; selects which choices of a configuration this factory serves. */
    Class<S> contract();

    /**
     * Options under their present names, from those of a configuration that an earlier version may have recorded. Called before the
     * options are bound to {@link #optionsType}. Implement it when options are renamed or moved, so that earlier runs still resume.
     *
     * @param options of a choice, unchecked; not to be changed
     * @return {@code options} if no version named them otherwise
     */
    default Map<String, Object> migrated(Map<String, Object> options) {
        return options;
    }

    /**
     * Creates the configured strategy. Must not open a device, data or connection. If the contract is {@code AutoCloseable}, as for
     * a tokenizer, the caller closes the result.
     *
     * @throws io.hirundo.ConfigurationException if the options conflict
     */
    S create(O options);
}
