package io.hirundo.regress.internal.optimizer;

import io.hirundo.device.Device;
import io.hirundo.device.Queue;
import io.hirundo.model.parameter.Parameter;
import io.hirundo.model.parameter.ParameterSpec;
import io.hirundo.optimizer.Optimizer;
import io.hirundo.optimizer.OptimizerRun;
import io.hirundo.optimizer.StateSpec;
import io.hirundo.strategy.HirundoStrategy;
import io.hirundo.strategy.NoOptions;
import io.hirundo.strategy.StrategyFactory;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Tensor;
import java.util.List;
import java.util.Optional;
import org.osgi.service.component.annotations.Component;

/** Optimizer {@code none}: never changes the weights and has no state, so that a layer of a large model fits into memory. */
@Component
@HirundoStrategy(kind = "optimizer", name = "none")
public final class NoUpdateFactory implements StrategyFactory<NoOptions, Optimizer> {
    private static final class NoOptimizer implements Optimizer {
        @Override
        public Optional<List<StateSpec>> declaredState(ParameterSpec parameter, DType dtype) {
            return Optional.of(List.of());
        }

        @Override
        public OptimizerRun bind(Device device, List<Parameter> parameters) {
            return new NoUpdate();
        }
    }

    private static final class NoUpdate implements OptimizerRun {
        @Override
        public void step(Queue queue, long step, double learningRate, Tensor gradientCoefficient1) {}

        @Override
        public List<State> state() {
            return List.of();
        }

        @Override
        public void close() {}
    }

    @Override
    public Optimizer create(NoOptions options) {
        return new NoOptimizer();
    }
}
