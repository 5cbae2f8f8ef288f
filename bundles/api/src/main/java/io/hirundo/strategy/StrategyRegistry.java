package io.hirundo.strategy;

import java.util.List;
import org.osgi.annotation.versioning.ProviderType;

/** Finds strategies by contract and name, and binds their options. An OSGi service. Thread-safe. */
@ProviderType
public interface StrategyRegistry {
    /** All installed strategies, by kind and name. */
    List<StrategyInfo> list();

    /**
     * Creates a chosen strategy.
     *
     * @param contract the required contract
     * @param choice name and options
     * @param path of the choice in the configuration, for messages; for instance {@code device}
     * @throws io.hirundo.ConfigurationException for an unknown name (lists the installed ones), or for options that are unknown, of
     *     a wrong type or out of bounds (names path, value and allowed values)
     */
    <S> S create(Class<S> contract, Choice choice, String path);
}
