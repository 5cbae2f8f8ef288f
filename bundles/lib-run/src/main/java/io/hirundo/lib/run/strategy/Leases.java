package io.hirundo.lib.run.strategy;

import io.hirundo.Reason;
import io.hirundo.lib.engine.lifecycle.Opened;
import io.hirundo.lib.run.change.RunPart;
import io.hirundo.lib.run.config.ChangeableSettings;
import io.hirundo.strategy.Choice;
import io.hirundo.strategy.StrategyInfo;
import io.hirundo.strategy.StrategyRegistry;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/**
 * Leases of the strategies of one configuration, held until {@link #end}. Reuses strategies of the previous configuration
 * whose choice is equal and whose bundle is still active, so that a swap touches only differences.
 */
public final class Leases implements StrategyRegistry {
    private final StrategyCatalog catalog;
    private final Map<String, Lease> byPath = new LinkedHashMap<>();
    private final Map<String, Lease> earlier;
    private final boolean renews;

    private Leases(StrategyCatalog catalog, Map<String, Lease> earlier, boolean renews) {
        this.catalog = catalog;
        this.earlier = new HashMap<>(earlier);
        this.renews = renews;
    }

    /** For a run that starts. */
    public static Leases begin(StrategyCatalog catalog) {
        return new Leases(catalog, Map.of(), false);
    }

    /**
     * For the next configuration of a run.
     *
     * @param renews whether equal choices are leased again if another bundle now serves them
     */
    public Leases next(boolean renews) {
        return new Leases(catalog, byPath, renews);
    }

    @Override
    public List<StrategyInfo> list() {
        return catalog.list();
    }

    @Override
    public <S> S create(Class<S> contract, Choice choice, String path) {
        Lease before = earlier.get(path);
        boolean same = before != null
                && before.choice().equals(choice)
                && contract.isInstance(before.strategy())
                && (isHeldWhileChosen(path)
                        || (renews ? catalog.serves(before.offer()) : catalog.isThere(before.offer())));
        Lease lease = same ? catalog.hold(before) : catalog.lease(contract, choice, path);
        byPath.put(path, lease);
        return contract.cast(lease.strategy());
    }

    /** Called when all strategies exist: forgets the earlier configuration and its bundles. */
    public void complete() {
        earlier.clear();
    }

    /** In the order of creation. */
    public Collection<Lease> all() {
        return List.copyOf(byPath.values());
    }

    /** Whether a run needs the strategy as long as its configuration names it, whatever its bundle does. */
    private static boolean isHeldWhileChosen(String path) {
        return !ChangeableSettings.part(path).map(RunPart::canBeClosed).orElse(false);
    }

    /** Paths at which these and the others do not have the same strategy. */
    Set<String> differing(Leases others) {
        Set<String> paths = new TreeSet<>(byPath.keySet());
        paths.addAll(others.byPath.keySet());
        paths.removeIf(path -> strategy(path) == others.strategy(path));
        return paths;
    }

    private Object strategy(String path) {
        Lease lease = byPath.get(path);
        return lease == null ? null : lease.strategy();
    }

    /** Strategies whose bundle is gone or no longer serves the name, without those that are held while chosen. */
    public List<Lease> stale() {
        return byPath.values().stream()
                .filter(lease -> !isHeldWhileChosen(lease.path()) && !catalog.serves(lease.offer()))
                .toList();
    }

    /** Those of {@link #stale} whose bundle is gone. */
    public List<Lease> gone() {
        return stale().stream().filter(lease -> !catalog.isThere(lease.offer())).toList();
    }

    /** Releases all; closes strategies that need it and that {@code successor} does not use. */
    public void end(Leases successor) {
        var opened = new Opened();
        for (Lease lease : byPath.values()) {
            opened.add(lease, catalog::release);
            if (successor.byPath.values().stream().noneMatch(other -> other.strategy() == lease.strategy())) {
                opened.add(lease, Leases::close);
            }
        }
        byPath.clear();
        opened.close();
    }

    /** Releases all. */
    public void end() {
        end(begin(catalog));
    }

    /** Releases one, after everything that it built is closed, and closes the strategy if needed: its bundle may stop. */
    public void release(Lease lease) {
        if (byPath.remove(lease.path(), lease)) {
            try {
                close(lease);
            } finally {
                catalog.release(lease);
            }
        }
    }

    /** Closes a strategy that is closeable. */
    public static void close(Lease lease) {
        try {
            if (lease.strategy() instanceof AutoCloseable closeable) {
                closeable.close();
            }
        } catch (RuntimeException failure) {
            throw failure;
        } catch (Exception failure) {
            throw new IllegalStateException(
                    "cannot close " + lease.path() + " " + lease.offer().name() + ": " + Reason.of(failure), failure);
        }
    }
}
