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
    /**
     * The options' record: the one that the class names for {@code O}.
     *
     * @throws io.hirundo.ConfigurationException if it names none, as a lambda or a generic class
     */
    default Class<O> optionsType() {
        return FactoryTypes.argument(this, 0, "optionsType");
    }

    /**
     * The contract, which selects the choices of a configuration that this factory serves: the one that the class names for {@code S}.
     *
     * @throws io.hirundo.ConfigurationException if it names none, as a lambda or a generic class
     */
    default Class<S> contract() {
        return FactoryTypes.argument(this, 1, "contract");
    }

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
