package io.hirundo.trainer.internal.strategy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.hirundo.ConfigurationException;
import io.hirundo.device.ComputeBackend;
import io.hirundo.mesh.Fabric;
import io.hirundo.strategy.Choice;
import io.hirundo.strategy.NoOptions;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.osgi.framework.Bundle;
import org.osgi.framework.ServiceReference;
import org.osgi.framework.Version;

class ServiceStrategyRegistryTest {
    private final ServiceStrategyRegistry registry = new ServiceStrategyRegistry();

    private List<String> listed() {
        return registry.list().stream()
                .map(i -> i.kind() + " " + i.name() + " from " + i.bundle())
                .toList();
    }

    @Test
    void addsAndRemovesStrategies() {
        var cpu = reference("one", 0, Map.of("hirundo.kind", "device", "hirundo.name", "cpu"));
        registry.addFactory(cpu, TestStrategies.factory(ComputeBackend.class, NoOptions.class));
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
        var low = reference("low", 1, Map.of("hirundo.kind", "device", "hirundo.name", "cpu"));
        var high = reference("high", 2, Map.of("hirundo.kind", "device", "hirundo.name", "cpu"));
        registry.addFactory(high, TestStrategies.factory(ComputeBackend.class, NoOptions.class));
        registry.addFactory(low, TestStrategies.factory(ComputeBackend.class, TestStrategies.Rate.class));
        assertEquals(List.of("device cpu from high 1.2.3"), listed());
        assertEquals(1, registry.hidden().size());
        registry.hidden()
                .forEach((offer, by) -> assertEquals("low 1.2.3 by high 1.2.3", offer.bundle() + " by " + by.bundle()));
        registry.removeFactory(high);
        assertEquals(Map.of(), registry.hidden());
        assertEquals(List.of("device cpu from low 1.2.3"), listed());
        assertEquals(TestStrategies.Rate.class, registry.list().getFirst().optionsType());
    }

    @Test
    void allowsOneNameForSeveralContracts() {
        registry.addFactory(
                reference("a", 0, Map.of("hirundo.kind", "device", "hirundo.name", "local")),
                TestStrategies.factory(ComputeBackend.class, NoOptions.class));
        registry.addFactory(
                reference("b", 1, Map.of("hirundo.kind", "fabric", "hirundo.name", "local")),
                TestStrategies.factory(Fabric.class, NoOptions.class));
        assertEquals(List.of("device local from a 1.2.3", "fabric local from b 1.2.3"), listed());
    }

    @Test
    void ignoresFactoriesWithoutAName() {
        registry.addFactory(reference("a", 0, Map.of()), TestStrategies.factory(Fabric.class, NoOptions.class));
        assertEquals(List.of(), listed());
    }

    /** A service reference with the properties that the registry reads. */
    static ServiceReference<?> reference(String bundleName, int ranking, Map<String, Object> properties) {
        Bundle bundle = proxy(Bundle.class, (name, arguments) -> switch (name) {
            case "getSymbolicName" -> bundleName;
            case "getVersion" -> new Version("1.2.3");
            default -> throw new UnsupportedOperationException(name);
        });
        return proxy(RankedReference.class, (name, arguments) -> switch (name) {
            case "getProperty" -> properties.get(arguments[0]);
            case "getBundle" -> bundle;
            case "ranking" -> ranking;
            case "compareTo" -> Integer.compare(ranking, ((RankedReference) arguments[0]).ranking());
            default -> throw new UnsupportedOperationException(name);
        });
    }

    private interface RankedReference extends ServiceReference<Object> {
        int ranking();
    }

    private interface Handler {
        Object call(String name, Object[] arguments);
    }

    private static <T> T proxy(Class<T> type, Handler handler) {
        return type.cast(Proxy.newProxyInstance(
                type.getClassLoader(), new Class<?>[] {type}, (self, method, arguments) -> switch (method.getName()) {
                    case "hashCode" -> System.identityHashCode(self);
                    case "equals" -> self == arguments[0];
                    default -> handler.call(method.getName(), arguments);
                }));
    }
}
