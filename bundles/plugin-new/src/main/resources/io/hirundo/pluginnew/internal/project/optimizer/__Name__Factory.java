package __package__;

import io.hirundo.lib.optimizer.OptionCheck;
import io.hirundo.optimizer.Optimizer;
import io.hirundo.strategy.HirundoStrategy;
import io.hirundo.strategy.StrategyFactory;
import org.osgi.service.component.annotations.Component;

/** Provides the optimizer {@code __name__}. Hirundo finds it by its annotations when the jar is in plugins/. */
@Component
@HirundoStrategy(kind = "optimizer", name = "__name__")
public final class __Name__Factory implements StrategyFactory<__Name__Options, Optimizer> {
    @Override
    public Optimizer create(__Name__Options options) {
        OptionCheck.requireBelowOne("momentum", options.momentum(), new __Name__Options().momentum());
        return new __Name__Optimizer(options);
    }
}
