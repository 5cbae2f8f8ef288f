package io.hirundo.lib.engine.kernel;

import io.hirundo.kernel.provider.KernelProvider;
import io.hirundo.strategy.Choice;
import io.hirundo.strategy.StrategyInfo;
import io.hirundo.strategy.StrategyRegistry;
import java.util.List;

/**
 * Kernels that a bundle brings.
 *
 * @param provider of the kernels
 * @param name that it is registered with
 * @param bundle symbolic name and version
 */
public record KernelOffer(KernelProvider<?> provider, String name, String bundle) {
    /** All that are installed. */
    public static List<KernelOffer> of(StrategyRegistry registry) {
        return installed(registry).stream()
                .map(info -> new KernelOffer(
                        registry.create(KernelProvider.class, Choice.of(info.name()), path(info.name())),
                        info.name(),
                        info.bundle()))
                .toList();
    }

    /** The kernels that are installed. Creates nothing. */
    public static List<StrategyInfo> installed(StrategyRegistry registry) {
        return registry.list().stream()
                .filter(info -> info.kind().equals(KernelProvider.KIND))
                .toList();
    }

    /** What messages call it. */
    public static String path(String name) {
        return KernelProvider.KIND + "." + name;
    }

    /** As in {@code acme-scale of org.example.acme 1.0.0}. */
    @Override
    public String toString() {
        return name + " of " + bundle;
    }
}
