package io.hirundo.trainer.internal.strategy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.configuration.internal.registry.ServiceStrategyRegistry;
import io.hirundo.device.Device;
import io.hirundo.kernel.provider.KernelProvider;
import io.hirundo.lib.run.strategy.Offer;
import io.hirundo.lib.run.strategy.RunStrategies;
import io.hirundo.testkit.strategy.ServiceReferences;
import io.hirundo.trainer.internal.fixture.Examples;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.osgi.framework.ServiceReference;

/** The bundles of kernels that a run takes stay until it ends; others may stop. */
class KernelLeasesTest {
    private final ServiceStrategyRegistry registry = new ServiceStrategyRegistry();

    /** A family that no device has. */
    private record Kernels() {}

    private record Provider(String backend) implements KernelProvider<Kernels> {
        @Override
        public Class<Kernels> family() {
            return Kernels.class;
        }

        @Override
        public Tier tier() {
            return Tier.FAST;
        }

        @Override
        public Kernels open(Device device) {
            return new Kernels();
        }
    }

    private ServiceReference<?> add(String name, String backend) {
        var reference = ServiceReferences.reference(name, 0, Map.of("hirundo.kind", "kernels", "hirundo.name", name));
        registry.addFactory(reference, new Provider(backend));
        return reference;
    }

    @Test
    void bundlesInUseStopWhenTheRunEnds() throws Exception {
        for (Offer offer : Examples.STRATEGIES.offers()) {
            registry.addFactory(
                    ServiceReferences.reference(
                            offer.name(), 0, Map.of("hirundo.kind", offer.kind(), "hirundo.name", offer.name())),
                    offer.factory());
        }
        ServiceReference<?> used = add("used", "cpu");
        ServiceReference<?> unused = add("of-gpus", "cuda");
        var strategies = new RunStrategies(registry, Examples.read("synthetic"));
        var taken = strategies.inUse().stream()
                .filter(each -> each.path().startsWith("kernels."))
                .toList();
        assertEquals(
                List.of("kernels.used"), taken.stream().map(each -> each.path()).toList());

        registry.removeFactory(unused);
        Thread stop = Thread.ofPlatform().start(() -> registry.removeFactory(used));
        awaitWaiting(stop);
        try (var next = strategies.next(Examples.read("synthetic", "optimizer.options.weightDecay=0.2"), true)) {
            assertTrue(
                    next.strategies().compute().kernels().has(Kernels.class),
                    "a swap keeps the kernels of the open device");
            next.take();
        }
        assertTrue(stop.isAlive(), "a bundle stopped after a swap");
        strategies.close();
        assertTrue(stop.join(Duration.ofMinutes(1)), "the bundle never stopped");
    }

    private static void awaitWaiting(Thread stop) throws InterruptedException {
        while (stop.getState() != Thread.State.WAITING && stop.getState() != Thread.State.TIMED_WAITING) {
            assertTrue(stop.isAlive(), "a bundle stopped under a run");
            Thread.sleep(1);
        }
    }
}
