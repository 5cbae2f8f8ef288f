package __package__;

import io.hirundo.parallel.DataParallel;
import io.hirundo.strategy.HirundoStrategy;
import io.hirundo.strategy.StrategyFactory;
import org.osgi.service.component.annotations.Component;

/** Provides the data-parallel strategy {@code __name__}. Hirundo finds it by its annotations when the jar is in plugins/. */
@Component
@HirundoStrategy(kind = "data-parallel", name = "__name__")
public final class __Name__Factory implements StrategyFactory<__Name__Options, DataParallel> {
    @Override
    public DataParallel create(__Name__Options options) {
        return new __Name__Slices(options);
    }
}
