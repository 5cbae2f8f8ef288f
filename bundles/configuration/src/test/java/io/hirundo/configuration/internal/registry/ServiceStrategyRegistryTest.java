package io.hirundo.configuration.internal.registry;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.hirundo.ConfigurationException;
import io.hirundo.device.ComputeBackend;
import io.hirundo.mesh.Fabric;
import io.hirundo.strategy.Choice;
import io.hirundo.strategy.NoOptions;
import io.hirundo.strategy.StrategyFactory;
import io.hirundo.testkit.strategy.InertStrategies;
import io.hirundo.testkit.strategy.ServiceReferences;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ServiceStrategyRegistryTest {
    private final ServiceStrategyRegistry registry = new ServiceStrategyRegistry();

    private List<String> listed() {
        return registry.list().stream()
                .map(i -> i.kind() + " " + i.name() + " from " + i.bundle())
                .toList();
    }

    @Test
    void addsAndRemovesStrategies() {
        var cpu = ServiceReferences.reference("one", 0, Map.of("hirundo.kind", "device", "hirundo.name", "cpu"));
        registry.addFactory(cpu, InertStrategies.factory(ComputeBackend.class, NoOptions.class));
        assertEquals(List.of("device cpu from one 1.2.3"), listed());
        assertEquals(
                "NoOptions[]",
                registry.create(ComputeBackend.class, Choice.of("cpu"), "device")
                        .toString());
        registry.removeFactory(cpu);
        assertEquals(List.of(), listed());
        assertThrows(
                ConfigurationException.class, () -> registry.create(ComputeBackend.class, Choice.of("cpu"), "device"));
    }

    @Test
    void prefersTheHigherRanking() {
        var low = ServiceReferences.reference("low", 1, Map.of("hirundo.kind", "device", "hirundo.name", "cpu"));
        var high = ServiceReferences.reference("high", 2, Map.of("hirundo.kind", "device", "hirundo.name", "cpu"));
        registry.addFactory(high, InertStrategies.factory(ComputeBackend.class, NoOptions.class));
        registry.addFactory(low, InertStrategies.factory(ComputeBackend.class, InertStrategies.Rate.class));
        assertEquals(List.of("device cpu from high 1.2.3"), listed());
        assertEquals(1, registry.hidden().size());
        registry.hidden()
                .forEach((offer, by) -> assertEquals("low 1.2.3 by high 1.2.3", offer.bundle() + " by " + by.bundle()));
        registry.removeFactory(high);
        assertEquals(Map.of(), registry.hidden());
        assertEquals(List.of("device cpu from low 1.2.3"), listed());
        assertEquals(InertStrategies.Rate.class, registry.list().getFirst().optionsType());
    }

    @Test
    void allowsOneNameForSeveralContracts() {
        registry.addFactory(
                ServiceReferences.reference("a", 0, Map.of("hirundo.kind", "device", "hirundo.name", "local")),
                InertStrategies.factory(ComputeBackend.class, NoOptions.class));
        registry.addFactory(
                ServiceReferences.reference("b", 1, Map.of("hirundo.kind", "fabric", "hirundo.name", "local")),
                InertStrategies.factory(Fabric.class, NoOptions.class));
        assertEquals(List.of("device local from a 1.2.3", "fabric local from b 1.2.3"), listed());
    }

    @Test
    void ignoresFactoriesWithoutAName() {
        registry.addFactory(
                ServiceReferences.reference("a", 0, Map.of()), InertStrategies.factory(Fabric.class, NoOptions.class));
        assertEquals(List.of(), listed());
    }

    @Test
    void ignoresFactoriesWhoseClassNamesNoContract() {
        StrategyFactory<NoOptions, Fabric> lambda = options -> null;
        registry.addFactory(
                ServiceReferences.reference("a", 0, Map.of("hirundo.kind", "fabric", "hirundo.name", "open")), lambda);
        registry.addFactory(
                ServiceReferences.reference("b", 1, Map.of("hirundo.kind", "fabric", "hirundo.name", "local")),
                InertStrategies.factory(Fabric.class, NoOptions.class));
        assertEquals(List.of("fabric local from b 1.2.3"), listed());
    }
}
