package io.hirundo.lib.run.strategy;

import io.hirundo.device.ComputeBackend;
import io.hirundo.event.TrainingListener;
import io.hirundo.lib.engine.kernel.KernelChoice;
import io.hirundo.lib.engine.lifecycle.Leftovers;
import io.hirundo.lib.engine.strategy.Strategies;
import io.hirundo.lib.run.config.ConfigurationBinder;
import io.hirundo.lib.run.config.ConfigurationDifference;
import io.hirundo.lib.run.config.RunConfiguration;
import io.hirundo.strategy.Choice;
import io.hirundo.train.StrategyInUse;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The current configuration of a run, with the strategies that it leases. */
public final class RunStrategies implements AutoCloseable {
    private final StrategyCatalog catalog;
    private RunConfiguration configuration;
    /** Null until the device is created, which it is once in a run. */
    private KernelLeases kernels;

    private Leases leases;
    private Strategies strategies;
    private final List<Lease> missing = new ArrayList<>();

    /** Creates every strategy of the configuration, and holds it until it is replaced or this is closed. */
    public RunStrategies(StrategyCatalog catalog, RunConfiguration configuration) {
        this.catalog = catalog;
        this.configuration = configuration;
        this.leases = Leases.begin(catalog);
        try {
            this.strategies = resolve(leases, configuration, Leases.begin(catalog));
        } catch (RuntimeException | Error failure) {
            releaseKernels();
            throw failure;
        }
    }

    /** Creates a strategy that another configuration chooses. This run does not hold it. */
    public <S> S create(Class<S> contract, Choice choice, String path) {
        return catalog.create(contract, choice, path);
    }

    private KernelChoice kernels(ComputeBackend device) {
        if (kernels == null) {
            kernels = KernelLeases.take(catalog, device);
        }
        return kernels.choice();
    }

    private void releaseKernels() {
        if (kernels != null) {
            kernels.close();
        }
    }

    /** On failure releases all new leases, and closes nothing that {@code present} uses. */
    private Strategies resolve(Leases leases, RunConfiguration configuration, Leases present) {
        try {
            Strategies resolved = new StrategyResolver(leases, catalog, this::kernels).resolve(configuration);
            leases.complete();
            return resolved;
        } catch (RuntimeException | Error failure) {
            leases.end(present);
            throw failure;
        }
    }

    /** The next configuration with its strategies. The caller owns it until {@link #take}. */
    public final class Next implements AutoCloseable {
        private final RunConfiguration configuration;
        private final Leases leases;
        private final Strategies strategies;
        private boolean taken;

        private Next(RunConfiguration configuration, boolean renews) {
            this.configuration = configuration;
            this.leases = RunStrategies.this.leases.next(renews);
            this.strategies = resolve(leases, configuration, RunStrategies.this.leases);
        }

        public RunConfiguration configuration() {
            return configuration;
        }

        public Strategies strategies() {
            return strategies;
        }

        /** The bundle that offers what is chosen at a path. */
        public String bundleOf(String path) {
            return leases.all().stream()
                    .filter(lease -> lease.path().equals(path))
                    .map(lease -> lease.offer().bundle())
                    .findFirst()
                    .orElse("nothing");
        }

        public String fingerprint() {
            return RunStrategies.this.fingerprint(configuration, leases);
        }

        /** What the run must replace to {@link #take} it. */
        public StrategyDifference changes() {
            Set<String> paths = RunStrategies.this.leases.differing(leases);
            ConfigurationDifference.between(RunStrategies.this.configuration, configuration)
                    .changes()
                    .forEach(change -> paths.add(change.path()));
            return StrategyDifference.of(paths);
        }

        /** Makes it current, and releases strategies that only the previous one used; the caller has closed their objects. */
        public void take() {
            Leases before = RunStrategies.this.leases;
            RunStrategies.this.configuration = configuration;
            RunStrategies.this.leases = leases;
            RunStrategies.this.strategies = strategies;
            taken = true;
            missing.clear();
            Leftovers.close("a strategy that was replaced", () -> before.end(leases));
        }

        @Override
        public void close() {
            if (!taken) {
                Leftovers.close("a strategy that is not taken", () -> leases.end(RunStrategies.this.leases));
            }
        }
    }

    /**
     * Creates the next configuration. Unchanged strategies are the same objects.
     *
     * @param renews as in {@link Leases#next}
     */
    public Next next(RunConfiguration configuration, boolean renews) {
        return new Next(configuration, renews);
    }

    /** Equal if configuration and bundles are equal: a line for the configuration, and one for each bundle. */
    public String fingerprint() {
        return fingerprint(configuration, leases);
    }

    private String fingerprint(RunConfiguration configuration, Leases leases) {
        return Stream.concat(
                        Stream.of("the configuration "
                                + Integer.toHexString(
                                        ConfigurationBinder.json(configuration).hashCode())),
                        Stream.concat(
                                leases.all().stream()
                                        .map(lease -> lease.offer().bundleDigest())
                                        .distinct(),
                                // A bundle may have other kernels for another machine.
                                kernels.all().stream()
                                        .map(lease -> lease.offer().bundleDigest() + " " + lease.path())))
                .collect(Collectors.joining("\n"));
    }

    /** Whether the strategy at a path is available; false after {@link #release}. */
    public boolean has(String path) {
        return leases.all().stream().anyMatch(lease -> lease.path().equals(path));
    }

    public RunConfiguration configuration() {
        return configuration;
    }

    public Strategies strategies() {
        return strategies;
    }

    public StrategyCatalog catalog() {
        return catalog;
    }

    /** As {@link Leases#stale}. */
    public List<Lease> stale() {
        return leases.stale();
    }

    /** As {@link Leases#gone}. */
    public List<Lease> gone() {
        return leases.gone();
    }

    /** Whether active bundles offer, under the same names, everything that is missing. */
    public boolean isServed() {
        return Stream.concat(gone().stream(), missing.stream())
                .allMatch(lease -> catalog.offers().stream()
                        .anyMatch(offer -> offer.kind().equals(lease.offer().kind())
                                && offer.name().equals(lease.offer().name())));
    }

    /** Lets the bundles of the strategies at these paths stop, after everything that they built is closed. */
    public void release(Set<String> paths) {
        for (Lease lease : leases.all()) {
            if (paths.contains(lease.path())) {
                Leftovers.close(lease.offer().name() + " of " + lease.offer().bundle(), () -> leases.release(lease));
                missing.add(lease);
            }
        }
    }

    /** The listeners; a monitor whose bundle is gone receives no more events. */
    public List<TrainingListener> monitors() {
        return strategies.outcome().monitors().stream()
                .filter(monitor -> missing.stream().noneMatch(lease -> lease.strategy() == monitor))
                .toList();
    }

    /** Stale and gone strategies, whether released or not. */
    public List<Lease> outdated() {
        return Stream.concat(missing.stream(), leases.stale().stream()).toList();
    }

    /** Released strategies without a successor, for messages; empty where nothing is missing. */
    public String missing() {
        return missing.isEmpty()
                ? ""
                : missing.stream()
                        .map(lease -> lease.path() + ": " + lease.offer().name() + " of "
                                + lease.offer().bundle())
                        .collect(Collectors.joining(", ", "", missing.size() == 1 ? " has gone" : " have gone"));
    }

    /** Includes missing strategies, without a bundle. */
    public List<StrategyInUse> inUse() {
        return Stream.of(leases.all(), kernels.all(), missing)
                .flatMap(Collection::stream)
                .map(lease -> new StrategyInUse(
                        lease.path(),
                        lease.offer().name(),
                        catalog.isThere(lease.offer()) ? lease.offer().bundle() : ""))
                .toList();
    }

    @Override
    public void close() {
        try {
            leases.end();
        } finally {
            releaseKernels();
        }
    }
}
