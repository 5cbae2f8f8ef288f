package __package__;

import io.hirundo.data.DataSource;
import io.hirundo.strategy.HirundoStrategy;
import io.hirundo.strategy.StrategyFactory;
import org.osgi.service.component.annotations.Component;

/** Provides the data source {@code __name__}. Hirundo finds it by its annotations when the jar is in plugins/. */
@Component
@HirundoStrategy(kind = "data", name = "__name__")
public final class __Name__Factory implements StrategyFactory<__Name__Options, DataSource> {
    @Override
    public DataSource create(__Name__Options options) {
        return new __Name__Data(options);
    }
}
