package __package__;

import io.hirundo.parallel.ContextParallel;
import io.hirundo.strategy.HirundoStrategy;
import io.hirundo.strategy.StrategyFactory;
import org.osgi.service.component.annotations.Component;

/** Provides the context-parallel strategy {@code __name__}. Hirundo finds it by its annotations when the jar is in plugins/. */
@Component
@HirundoStrategy(kind = "context-parallel", name = "__name__")
public final class __Name__Factory implements StrategyFactory<__Name__Options, ContextParallel> {
    @Override
    public ContextParallel create(__Name__Options options) {
        return new __Name__Chunks(options);
    }
}
