package io.hirundo.strategy;

/**
 * An installed strategy.
 *
 * @param kind as in {@link HirundoStrategy#kind}
 * @param name as in {@link HirundoStrategy#name}
 * @param bundle symbolic name and version of its bundle
 * @param optionsType its options record
 */
public record StrategyInfo(String kind, String name, String bundle, Class<? extends Record> optionsType) {}
