package __package__;

import io.hirundo.checkpoint.ModelFormat;
import io.hirundo.strategy.HirundoStrategy;
import io.hirundo.strategy.StrategyFactory;
import org.osgi.service.component.annotations.Component;

/** Provides the model format {@code __name__}. Hirundo finds it by its annotations when the jar is in plugins/. */
@Component
@HirundoStrategy(kind = "model-format", name = "__name__")
public final class __Name__Factory implements StrategyFactory<__Name__Options, ModelFormat> {
    @Override
    public ModelFormat create(__Name__Options options) {
        return new __Name__Format(options.verify());
    }
}
