package io.hirundo.train;

/**
 * A strategy in use by a run.
 *
 * @param path in the configuration: {@code mesh.schedule}
 * @param name of the strategy
 * @param bundle symbolic name and version of its bundle; empty while it is uninstalled
 */
public record StrategyInUse(String path, String name, String bundle) {}
