package io.hirundo.commlocal.internal.fabric;

import io.hirundo.lib.fabric.local.LocalFabric;
import io.hirundo.lib.fabric.local.TransferCost;
import io.hirundo.mesh.Fabric;
import io.hirundo.strategy.HirundoStrategy;
import io.hirundo.strategy.StrategyFactory;
import org.osgi.service.component.annotations.Component;

/** Fabric {@code local}. */
@Component
@HirundoStrategy(kind = "fabric", name = "local")
public final class LocalFactory implements StrategyFactory<LocalOptions, Fabric> {
    @Override
    public Fabric create(LocalOptions options) {
        LinkOptions link = options.link();
        return new LocalFabric(
                options.timeoutSeconds(),
                link == null ? null : new TransferCost(link.latencyMicros(), link.gigabytesPerSecond()));
    }
}
