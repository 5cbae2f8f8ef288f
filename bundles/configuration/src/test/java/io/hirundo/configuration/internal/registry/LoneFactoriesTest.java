package io.hirundo.configuration.internal.registry;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.family.ModelFamily;
import io.hirundo.kernel.provider.KernelProvider;
import io.hirundo.strategy.StrategyFactory;
import java.lang.reflect.Proxy;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.osgi.framework.ServiceReference;

class LoneFactoriesTest {
    private static ServiceReference<?> registeredAs(Class<?>... types) {
        var names = new String[types.length];
        for (int i = 0; i < types.length; i++) {
            names[i] = types[i].getName();
        }
        return (ServiceReference<?>) Proxy.newProxyInstance(
                LoneFactoriesTest.class.getClassLoader(),
                new Class<?>[] {ServiceReference.class},
                (_, method, arguments) -> method.getName().equals("getProperty") ? names : null);
    }

    @Test
    void warnsOfFamiliesThatNoConfigurationCanChoose() {
        String warning = LoneFactories.warning(registeredAs(ModelFamily.class)).orElseThrow();
        assertTrue(warning.contains("model.architecture cannot choose it; annotate it"), warning);
        assertEquals(Optional.empty(), LoneFactories.warning(registeredAs(StrategyFactory.class, ModelFamily.class)));
    }

    @Test
    void warnsOfKernelsOfAnotherKind() {
        var provider = (KernelProvider<?>) Proxy.newProxyInstance(
                LoneFactoriesTest.class.getClassLoader(),
                new Class<?>[] {KernelProvider.class},
                (_, method, _) -> null);
        String warning = LoneFactories.warning("kernel", provider, registeredAs(StrategyFactory.class))
                .orElseThrow();
        assertTrue(warning.contains("has the kind kernel, so no device takes its kernels; annotate it"), warning);
        assertEquals(Optional.empty(), LoneFactories.warning("kernels", provider, registeredAs(StrategyFactory.class)));
    }

    @Test
    void warnsOfKernelsThatNoDeviceTakes() {
        String warning =
                LoneFactories.warning(registeredAs(KernelProvider.class)).orElseThrow();
        assertTrue(warning.contains("no device takes its kernels; annotate it"), warning);
    }
}
