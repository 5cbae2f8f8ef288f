package io.hirundo.precisionreport.internal;

import io.hirundo.precision.RoundingLoss;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;

/**
 * A strategy's figures over the layers that use its own GEMM kind: for each GEMM the typical error in the worst layer.
 *
 * @param layers number of these layers
 * @param vanished largest fraction of an operand that quantized to zero
 */
record Summary(
        String strategy, int layers, double output, double inputGradient, double weightGradient, double vanished) {
    /** In the order of the strategies; without those that have no such layer. */
    static List<Summary> of(List<LayerReport> layers) {
        var byStrategy = new LinkedHashMap<String, Summary>();
        for (LayerReport layer : layers) {
            layer.strategies().stream()
                    .filter(figures -> !figures.isInNameOnly())
                    .forEach(figures -> byStrategy.merge(figures.strategy(), of(figures), Summary::worse));
        }
        return new ArrayList<>(byStrategy.values());
    }

    private static Summary of(Figures figures) {
        double vanished = figures.rounding().values().stream()
                .mapToDouble(RoundingLoss::vanishedShare)
                .max()
                .orElse(0);
        var errors = figures.errors();
        return new Summary(
                figures.strategy(),
                1,
                errors.output().typical(),
                errors.inputGradient().typical(),
                errors.weightGradient().typical(),
                vanished);
    }

    private Summary worse(Summary other) {
        return new Summary(
                strategy,
                layers + other.layers,
                Math.max(output, other.output),
                Math.max(inputGradient, other.inputGradient),
                Math.max(weightGradient, other.weightGradient),
                Math.max(vanished, other.vanished));
    }
}
