package __package__;

import io.hirundo.event.TrainingListener;
import io.hirundo.strategy.HirundoStrategy;
import io.hirundo.strategy.StrategyFactory;
import org.osgi.service.component.annotations.Component;

/** Provides the monitor {@code __name__}. Hirundo finds it by its annotations when the jar is in plugins/. */
@Component
@HirundoStrategy(kind = "monitor", name = "__name__")
public final class __Name__Factory implements StrategyFactory<__Name__Options, TrainingListener> {
    @Override
    public TrainingListener create(__Name__Options options) {
        return new __Name__Monitor(options);
    }
}
