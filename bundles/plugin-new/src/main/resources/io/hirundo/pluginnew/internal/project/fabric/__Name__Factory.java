package __package__;

import io.hirundo.mesh.Fabric;
import io.hirundo.strategy.HirundoStrategy;
import io.hirundo.strategy.StrategyFactory;
import io.hirundo.strategy.StrategyRegistry;
import org.osgi.service.component.ComponentServiceObjects;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Reference;

/** Provides the fabric {@code __name__}. Hirundo finds it by its annotations when the jar is in plugins/. */
@Component
@HirundoStrategy(kind = "fabric", name = "__name__")
public final class __Name__Factory implements StrategyFactory<__Name__Options, Fabric> {
    private final ComponentServiceObjects<StrategyRegistry> registry;

    /** Looks up the registry lazily: while the registry is created, it looks for factories, including this one. */
    @Activate
    public __Name__Factory(@Reference ComponentServiceObjects<StrategyRegistry> registry) {
        this.registry = registry;
    }

    @Override
    public Fabric create(__Name__Options options) {
        StrategyRegistry strategies = registry.getService();
        try {
            return new __Name__Fabric(strategies.create(Fabric.class, options.on(), "mesh.fabric.options.on"));
        } finally {
            registry.ungetService(strategies);
        }
    }
}
