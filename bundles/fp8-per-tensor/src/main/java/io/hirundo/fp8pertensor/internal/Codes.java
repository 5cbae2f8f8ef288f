package io.hirundo.fp8pertensor.internal;

import io.hirundo.kernel.scaled.ScaleRule;
import io.hirundo.precision.Operand;
import io.hirundo.tensor.DType;

/**
 * The 8-bit types of operands.
 *
 * @param gradients 8-bit type of output gradients
 */
record Codes(DType gradients, ScaleRule rule) {
    static final String E4M3 = "e4m3";
    static final String E5M2 = "e5m2";
    static final String POWER_OF_TWO = "power-of-two";
    static final String EXACT = "exact";

    static Codes of(String gradients, String scales) {
        return new Codes(
                gradients.equals(E5M2) ? DType.FP8_E5M2 : DType.FP8_E4M3,
                scales.equals(EXACT) ? ScaleRule.EXACT : ScaleRule.POWER_OF_TWO);
    }

    DType of(Operand operand) {
        return operand == Operand.OUTPUT_GRADIENT ? gradients : DType.FP8_E4M3;
    }
}
