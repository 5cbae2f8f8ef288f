package __package__;

import io.hirundo.ConfigurationException;
import io.hirundo.optimizer.LearningRateSchedule;
import io.hirundo.strategy.HirundoStrategy;
import io.hirundo.strategy.StrategyFactory;
import org.osgi.service.component.annotations.Component;

/** Provides the learning rate {@code __name__}. Hirundo finds it by its annotations when the jar is in plugins/. */
@Component
@HirundoStrategy(kind = "learning-rate", name = "__name__")
public final class __Name__Factory implements StrategyFactory<__Name__Options, LearningRateSchedule> {
    /** Bounds that an annotation cannot express: it has no "above 0". */
    @Override
    public LearningRateSchedule create(__Name__Options options) {
        if (!(options.peak() > 0)) {
            throw new ConfigurationException("learningRate.options.peak: " + options.peak()
                    + " is wrong (allowed: above 0); set a positive rate");
        }
        return new __Name__Rate(options.peak(), options.warmupSteps(), options.cooldownSteps());
    }
}
