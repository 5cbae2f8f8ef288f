package __package__;

import io.hirundo.schedule.PipelineSchedule;
import io.hirundo.strategy.HirundoStrategy;
import io.hirundo.strategy.StrategyFactory;
import org.osgi.service.component.annotations.Component;

/** Provides the pipeline schedule {@code __name__}. Hirundo finds it by its annotations when the jar is in plugins/. */
@Component
@HirundoStrategy(kind = "schedule", name = "__name__")
public final class __Name__Factory implements StrategyFactory<__Name__Options, PipelineSchedule> {
    @Override
    public PipelineSchedule create(__Name__Options options) {
        return new __Name__Schedule(options.eagerness());
    }
}
