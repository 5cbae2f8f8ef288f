package io.hirundo.precisionreport.internal;

import io.hirundo.ConfigurationException;
import io.hirundo.device.MemoryCategory;
import io.hirundo.precision.LinearMath;
import io.hirundo.precision.Operand;
import io.hirundo.precision.PrecisionStrategy;
import io.hirundo.precision.PreparedWeight;
import io.hirundo.precision.RoundingLoss;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Tensor;
import io.hirundo.train.RunInspector.LayerOperands;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/** A compared strategy, with its layers' state (such as amax history). */
final class Contender implements AutoCloseable {
    private final String name;
    private final PrecisionStrategy strategy;
    private final Map<String, LinearMath> remembering = new HashMap<>();

    /** {@code strategy}: bound to the inspected model, with FP32 parameters. */
    Contender(String name, PrecisionStrategy strategy) {
        this.name = name;
        this.strategy = strategy;
    }

    String name() {
        return name;
    }

    /**
     * Runs a microbatch of an earlier step, for the history only.
     *
     * @throws ConfigurationException if the strategy does not support the device or the layer; names the reason
     */
    void remember(LayerOperands layer) {
        LinearMath math = bind(layer);
        if (math.memory().isEmpty()) {
            math.close();
            return;
        }
        remembering.put(layer.shape().name(), math);
        DType type = strategy.activationType();
        try (Typed w = Typed.of(layer, layer.wNK(), DType.FP32);
                Typed x = Typed.of(layer, layer.xTK(), type);
                Typed dy = Typed.of(layer, layer.dyTN(), type);
                PreparedWeight _ = math.prepare(layer.queue(), w.tensor(), null);
                Tensor dwNK = layer.device()
                        .allocate(MemoryCategory.WORKSPACE, layer.wNK().shape(), DType.FP32)) {
            layer.device().kernels().elementwise().fill(layer.queue(), dwNK, 0);
            math.weightGradient(layer.queue(), dy.tensor(), x.tensor(), dwNK);
            math.memory().get().endStep(layer.queue());
            layer.queue().drain();
        }
    }

    private LinearMath bind(LayerOperands layer) {
        LinearMath known = remembering.remove(layer.shape().name());
        if (known != null) {
            return known;
        }
        var support = strategy.supports(layer.device().info(), layer.shape());
        if (!support.supported()) {
            throw new ConfigurationException(support.reason());
        }
        return strategy.bind(layer.device(), layer.shape());
    }

    /** Like {@link #remember}, for the compared microbatch. */
    Figures figures(LayerOperands layer, GemmResults exact) {
        DType type = strategy.activationType();
        try (LinearMath math = bind(layer)) {
            var errors = GemmResults.of(layer, math, type).errors(exact);
            Map<Operand, RoundingLoss> rounding = new EnumMap<>(Operand.class);
            rounding(layer, math, Operand.INPUT, layer.xTK(), type)
                    .ifPresent(loss -> rounding.put(Operand.INPUT, loss));
            rounding(layer, math, Operand.WEIGHT, layer.wNK(), DType.FP32)
                    .ifPresent(loss -> rounding.put(Operand.WEIGHT, loss));
            rounding(layer, math, Operand.OUTPUT_GRADIENT, layer.dyTN(), type)
                    .ifPresent(loss -> rounding.put(Operand.OUTPUT_GRADIENT, loss));
            return new Figures(name, strategy.describe(layer.shape()), errors, rounding);
        }
    }

    private static Optional<RoundingLoss> rounding(
            LayerOperands layer, LinearMath math, Operand operand, Tensor x, DType type) {
        try (Typed typed = Typed.of(layer, x, type)) {
            return math.roundingLoss(layer.queue(), operand, typed.tensor());
        }
    }

    @Override
    public void close() {
        remembering.values().forEach(LinearMath::close);
        remembering.clear();
    }
}
