package io.hirundo.configuration.internal.registry;

import io.hirundo.ConfigurationException;
import io.hirundo.Reason;
import io.hirundo.lib.configuration.binding.Problems;
import io.hirundo.lib.plugin.BundleDigest;
import io.hirundo.lib.plugin.UnusableServices;
import io.hirundo.lib.run.strategy.Lease;
import io.hirundo.lib.run.strategy.Leases;
import io.hirundo.lib.run.strategy.Offer;
import io.hirundo.lib.run.strategy.StrategyCatalog;
import io.hirundo.lib.run.strategy.StrategyTable;
import io.hirundo.strategy.Choice;
import io.hirundo.strategy.StrategyFactory;
import io.hirundo.strategy.StrategyInfo;
import io.hirundo.strategy.StrategyRegistry;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;
import org.osgi.framework.Bundle;
import org.osgi.framework.BundleContext;
import org.osgi.framework.ServiceReference;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Deactivate;
import org.osgi.util.tracker.ServiceTracker;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The strategies that bundles currently offer as services. A bundle that stops while a training uses it
 * waits until the training releases it between two steps, so its classes stay loadable until then.
 *
 * <p>Tracks services by hand: declarative references would wait under locks of the component runtime, which times out
 * after some seconds, and a step may take minutes.
 */
@Component(service = {StrategyRegistry.class, StrategyCatalog.class})
public final class ServiceStrategyRegistry implements StrategyCatalog {
    private static final Logger LOG = LoggerFactory.getLogger(ServiceStrategyRegistry.class);

    /** How often a stopping bundle checks whether the framework itself shuts down. */
    private static final long LOOK_MILLIS = 200;

    private final Map<ServiceReference<?>, Offer> services = new HashMap<>();
    private final Map<Offer, Integer> held = new HashMap<>();
    private final List<Runnable> listeners = new CopyOnWriteArrayList<>();
    private final BooleanSupplier frameworkEnds;
    private final ServiceTracker<?, ?> tracker;
    private final ServiceTracker<?, ?> families;
    private volatile StrategyTable table = StrategyTable.of();
    private boolean ended;

    @Activate
    @SuppressWarnings({"rawtypes", "unchecked"})
    public ServiceStrategyRegistry(BundleContext context) {
        Bundle framework = context.getBundle(0);
        this.frameworkEnds = () -> framework.getState() == Bundle.STOPPING;
        this.tracker = new ServiceTracker<StrategyFactory, StrategyFactory>(context, StrategyFactory.class, null) {
            @Override
            public StrategyFactory addingService(ServiceReference<StrategyFactory> reference) {
                StrategyFactory factory = super.addingService(reference);
                if (factory != null) {
                    addFactory(reference, factory);
                }
                return factory;
            }

            @Override
            public void removedService(ServiceReference<StrategyFactory> reference, StrategyFactory factory) {
                removeFactory(reference);
                super.removedService(reference, factory);
            }
        };
        tracker.open();
        UnusableServices.warn(context, StrategyFactory.class);
        this.families = new LoneFactories(context);
        families.open();
    }

    /** Without a framework: for tests, which add services by hand. */
    public ServiceStrategyRegistry() {
        this.frameworkEnds = () -> false;
        this.tracker = null;
        this.families = null;
    }

    @Deactivate
    void end() {
        synchronized (this) {
            ended = true;
            notifyAll();
        }
        families.close();
        tracker.close();
    }

    /** Offers a strategy. */
    public void addFactory(ServiceReference<?> reference, StrategyFactory<?, ?> factory) {
        if (!(reference.getProperty("hirundo.name") instanceof String name)
                || !(reference.getProperty("hirundo.kind") instanceof String kind)) {
            LOG.warn(
                    "{} of {} lacks the property hirundo.name or hirundo.kind, so it cannot be chosen; annotate it with @HirundoStrategy",
                    factory.getClass(),
                    UnusableServices.bundle(reference));
            return;
        }
        try {
            factory.contract();
            factory.optionsType();
        } catch (ConfigurationException | TypeNotPresentException | LinkageError unusable) {
            LOG.warn(
                    "The {} {} of {} cannot be chosen: {}",
                    kind,
                    name,
                    UnusableServices.bundle(reference),
                    Reason.of(unusable));
            return;
        }
        LoneFactories.warning(kind, factory, reference).ifPresent(LOG::warn);
        Bundle bundle = reference.getBundle();
        add(
                reference,
                new Offer(kind, name, UnusableServices.bundle(reference), factory, () -> BundleDigest.of(bundle)));
        listeners.forEach(Runnable::run);
    }

    private synchronized void add(ServiceReference<?> reference, Offer offer) {
        services.put(reference, offer);
        table = winners();
        long ofThisName = services.values().stream()
                .filter(other -> key(other).equals(key(offer)))
                .count();
        if (ofThisName > 1) {
            String winner = table.offers().stream()
                    .filter(o -> key(o).equals(key(offer)))
                    .findFirst()
                    .orElseThrow()
                    .bundle();
            LOG.info(
                    "{} bundles offer the {} {}; that of {} is used: it has the highest service ranking",
                    ofThisName,
                    offer.kind(),
                    offer.name(),
                    winner);
        }
    }

    /** Returns when nobody uses it any more. */
    public void removeFactory(ServiceReference<?> reference) {
        Offer gone;
        synchronized (this) {
            gone = services.remove(reference);
            table = winners();
        }
        listeners.forEach(Runnable::run);
        if (gone != null) {
            awaitRelease(gone);
        }
    }

    private synchronized void awaitRelease(Offer gone) {
        boolean hasLogged = false;
        boolean interrupted = false;
        while (held.containsKey(gone) && !ended && !frameworkEnds.getAsBoolean()) {
            if (!hasLogged) {
                LOG.info(
                        "{} stops as soon as the training releases the {} {}", gone.bundle(), gone.kind(), gone.name());
                hasLogged = true;
            }
            try {
                wait(LOOK_MILLIS);
            } catch (InterruptedException later) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /** Creates the strategy outside the lock, because a bundle's own code may take long. */
    @Override
    public <S> Lease lease(Class<S> contract, Choice choice, String path) {
        Lease lease = table.lease(contract, choice, path);
        synchronized (this) {
            if (services.containsValue(lease.offer())) {
                return hold(lease);
            }
        }
        Leases.close(lease);
        throw new ConfigurationException(path + ": the bundle of " + choice.name() + " stops at the moment; try again");
    }

    @Override
    public synchronized Lease hold(Lease lease) {
        held.merge(lease.offer(), 1, Integer::sum);
        return lease;
    }

    @Override
    public synchronized void release(Lease lease) {
        held.computeIfPresent(lease.offer(), (offer, count) -> count == 1 ? null : count - 1);
        notifyAll();
    }

    @Override
    public boolean serves(Offer offer) {
        return table.serves(offer);
    }

    @Override
    public synchronized boolean isThere(Offer offer) {
        return services.containsValue(offer);
    }

    @Override
    public Registration onChange(Runnable listener) {
        listeners.add(listener);
        return () -> listeners.remove(listener);
    }

    private record Key(Class<?> contract, String name) {}

    private static Key key(Offer offer) {
        return new Key(offer.factory().contract(), offer.name());
    }

    /** For each contract and name, the strategy with the highest service ranking. */
    private StrategyTable winners() {
        Map<Key, Offer> winners = new HashMap<>();
        List<ServiceReference<?>> byRanking = new ArrayList<>(services.keySet());
        byRanking.sort(Comparator.reverseOrder());
        for (ServiceReference<?> reference : byRanking) {
            Offer offer = services.get(reference);
            winners.putIfAbsent(key(offer), offer);
        }
        return new StrategyTable(List.copyOf(winners.values()));
    }

    @Override
    public List<Offer> offers() {
        return table.offers();
    }

    @Override
    public synchronized Map<Offer, Offer> hidden() {
        Map<Key, Offer> serving =
                table.offers().stream().collect(Collectors.toMap(ServiceStrategyRegistry::key, offer -> offer));
        return services.values().stream()
                .filter(offer -> !table.serves(offer))
                .collect(Collectors.toMap(offer -> offer, offer -> serving.get(key(offer))));
    }

    @Override
    public List<StrategyInfo> list() {
        return table.list();
    }

    @Override
    public <S> S create(Class<S> contract, Choice choice, String path) {
        return table.create(contract, choice, path);
    }

    @Override
    public Choice resolve(Class<?> contract, Choice choice, String path, Problems problems) {
        return table.resolve(contract, choice, path, problems);
    }
}
