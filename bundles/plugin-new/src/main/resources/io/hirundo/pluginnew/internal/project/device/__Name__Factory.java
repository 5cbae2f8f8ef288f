package __package__;

import io.hirundo.device.ComputeBackend;
import io.hirundo.strategy.HirundoStrategy;
import io.hirundo.strategy.StrategyFactory;
import io.hirundo.strategy.StrategyRegistry;
import org.osgi.service.component.ComponentServiceObjects;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Reference;

/** Provides the device {@code __name__}. Hirundo finds it by its annotations when the jar is in plugins/. */
@Component
@HirundoStrategy(kind = "device", name = "__name__")
public final class __Name__Factory implements StrategyFactory<__Name__Options, ComputeBackend> {
    private final ComponentServiceObjects<StrategyRegistry> registry;

    /** Looks up the registry lazily: while the registry is created, it looks for factories, including this one. */
    @Activate
    public __Name__Factory(@Reference ComponentServiceObjects<StrategyRegistry> registry) {
        this.registry = registry;
    }

    @Override
    public ComputeBackend create(__Name__Options options) {
        StrategyRegistry strategies = registry.getService();
        try {
            return new __Name__Backend(strategies.create(ComputeBackend.class, options.on(), "device.options.on"));
        } finally {
            registry.ungetService(strategies);
        }
    }
}
