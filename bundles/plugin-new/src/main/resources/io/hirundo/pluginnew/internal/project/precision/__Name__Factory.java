package __package__;

import io.hirundo.precision.PrecisionStrategy;
import io.hirundo.strategy.HirundoStrategy;
import io.hirundo.strategy.StrategyFactory;
import org.osgi.service.component.annotations.Component;

/** Provides the precision {@code __name__}. Hirundo finds it by its annotations when the jar is in plugins/. */
@Component
@HirundoStrategy(kind = "precision", name = "__name__")
public final class __Name__Factory implements StrategyFactory<__Name__Options, PrecisionStrategy> {
    @Override
    public PrecisionStrategy create(__Name__Options options) {
        return new __Name__Precision(options);
    }
}
