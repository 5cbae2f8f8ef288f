package __package__;

import io.hirundo.checkpoint.CheckpointStrategy;
import io.hirundo.strategy.HirundoStrategy;
import io.hirundo.strategy.StrategyFactory;
import org.osgi.service.component.annotations.Component;

/** Provides the checkpoint store {@code __name__}. Hirundo finds it by its annotations when the jar is in plugins/. */
@Component
@HirundoStrategy(kind = "checkpoint", name = "__name__")
public final class __Name__Factory implements StrategyFactory<__Name__Options, CheckpointStrategy> {
    @Override
    public CheckpointStrategy create(__Name__Options options) {
        return new __Name__Store(options);
    }
}
