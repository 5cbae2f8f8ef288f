package io.hirundo.train;

/**
 * A strategy that a run works with.
 *
 * @param path where it stands in the configuration: {@code mesh.schedule}
 * @param name of the strategy
 * @param bundle that offers it: symbolic name and version; empty while it is gone
 */
public record StrategyInUse(String path, String name, String bundle) {}
