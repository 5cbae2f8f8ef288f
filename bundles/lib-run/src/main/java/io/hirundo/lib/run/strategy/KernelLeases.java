package io.hirundo.lib.run.strategy;

import io.hirundo.device.ComputeBackend;
import io.hirundo.kernel.provider.KernelProvider;
import io.hirundo.lib.engine.kernel.KernelChoice;
import io.hirundo.lib.engine.kernel.KernelOffer;
import io.hirundo.lib.engine.lifecycle.Opened;
import io.hirundo.strategy.Choice;
import io.hirundo.strategy.StrategyInfo;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The kernels of bundles that a run's device takes. It keeps them as long as it is open, so their bundles cannot stop until this is closed. */
final class KernelLeases implements AutoCloseable {
    private final KernelChoice choice;
    private final List<Lease> leases = new ArrayList<>();
    private final Opened opened = new Opened();

    private KernelLeases(StrategyCatalog catalog, ComputeBackend device) {
        // Held before the choice: a service that replaces one meanwhile would be leased, but not asked.
        try (var offered = new Opened()) {
            Map<KernelOffer, Lease> offers = new LinkedHashMap<>();
            for (StrategyInfo info : KernelOffer.installed(catalog)) {
                Lease lease = offered.add(
                        catalog.lease(KernelProvider.class, Choice.of(info.name()), KernelOffer.path(info.name())),
                        catalog::release);
                offers.put(
                        new KernelOffer(
                                (KernelProvider<?>) lease.strategy(),
                                info.name(),
                                lease.offer().bundle()),
                        lease);
            }
            this.choice = KernelChoice.of(device, List.copyOf(offers.keySet()));
            for (KernelOffer offer : choice.chosen()) {
                leases.add(opened.add(catalog.hold(offers.get(offer)), catalog::release));
            }
        } catch (RuntimeException | Error failure) {
            opened.closeAfter(failure);
            throw failure;
        }
    }

    /** Of the kernels that are installed, holds those that complete the device. */
    static KernelLeases take(StrategyCatalog catalog, ComputeBackend device) {
        return new KernelLeases(catalog, device);
    }

    KernelChoice choice() {
        return choice;
    }

    List<Lease> all() {
        return leases;
    }

    @Override
    public void close() {
        opened.close();
    }
}
