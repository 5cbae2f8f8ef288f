package io.hirundo.lib.run.strategy;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.hirundo.optimizer.Optimizer;
import io.hirundo.strategy.StrategyFactory;
import io.hirundo.tensor.DType;
import io.hirundo.testkit.strategy.InertStrategies;
import java.lang.reflect.Proxy;
import java.util.List;
import org.junit.jupiter.api.Test;

class InstalledOptimizersTest {
    /** Updates weights of one dtype. */
    private record Only(DType type) implements StrategyFactory<InertStrategies.Rate, Optimizer> {
        @Override
        public Optimizer create(InertStrategies.Rate options) {
            return (Optimizer) Proxy.newProxyInstance(
                    Optimizer.class.getClassLoader(),
                    new Class<?>[] {Optimizer.class},
                    (self, method, arguments) -> arguments[0] == type);
        }
    }

    private static Offer optimizer(String name, StrategyFactory<?, ?> factory) {
        return new Offer("optimizer", name, "acme 1.0.0", factory);
    }

    @Test
    void namesThoseThatUpdateWithTheirDefaults() {
        var installed = new InstalledOptimizers(StrategyTable.of(
                optimizer("second", new Only(DType.BF16)),
                optimizer("exact", new Only(DType.FP32)),
                optimizer("mandatory", InertStrategies.factory(Optimizer.class, InertStrategies.Files.class)),
                optimizer("first", new Only(DType.BF16)),
                new Offer("device", "cpu", "acme 1.0.0", new Only(DType.BF16))));
        assertEquals(List.of("first", "second"), installed.updating(DType.BF16));
        assertEquals(List.of("exact"), installed.updating(DType.FP32));
    }
}
