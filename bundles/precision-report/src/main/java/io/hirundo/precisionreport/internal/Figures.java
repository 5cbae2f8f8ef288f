package io.hirundo.precisionreport.internal;

import io.hirundo.precision.Operand;
import io.hirundo.precision.RoundingLoss;
import java.util.Map;

/**
 * The errors of a strategy in a layer.
 *
 * @param strategy its name
 * @param gemms the GEMM kind, if it differs from the strategy's name
 * @param errors of the results against FP32
 * @param rounding quantization error of the operands; empty without 8-bit operands
 */
record Figures(String strategy, String gemms, Errors errors, Map<Operand, RoundingLoss> rounding) {
    Figures {
        rounding = Map.copyOf(rounding);
    }

    /** Whether the layer's GEMM kind differs from the strategy's name. */
    boolean isInNameOnly() {
        return rounding.isEmpty() && !gemms.isEmpty();
    }

    /** Relative errors against exact results. */
    record Errors(Distance output, Distance inputGradient, Distance weightGradient) {}
}
