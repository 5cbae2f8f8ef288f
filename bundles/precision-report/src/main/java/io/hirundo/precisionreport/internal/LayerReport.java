package io.hirundo.precisionreport.internal;

import io.hirundo.precision.LinearShape;
import io.hirundo.precision.Operand;
import java.util.List;
import java.util.Map;

/**
 * The findings for a layer.
 *
 * @param tokens of the compared microbatch
 * @param operands histograms of their magnitudes
 * @param strategies in alphabetical order
 */
record LayerReport(LinearShape shape, long tokens, Map<Operand, ExponentHistogram> operands, List<Figures> strategies) {
    LayerReport {
        operands = Map.copyOf(operands);
        strategies = List.copyOf(strategies);
    }
}
