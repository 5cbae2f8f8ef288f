package io.hirundo.strategy;

/**
 * A strategy that is there.
 *
 * @param kind as in {@link HirundoStrategy#kind}
 * @param name as in {@link HirundoStrategy#name}
 * @param bundle symbolic name and version of the bundle that offers it
 * @param optionsType its options record
 */
public record StrategyInfo(String kind, String name, String bundle, Class<? extends Record> optionsType) {}
