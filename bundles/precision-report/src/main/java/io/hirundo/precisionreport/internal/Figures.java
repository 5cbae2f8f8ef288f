package io.hirundo.precisionreport.internal;

import io.hirundo.precision.Operand;
import io.hirundo.precision.RoundingLoss;
import java.util.Map;

/**
 * How a strategy fares with a layer.
 *
 * @param strategy its name
 * @param products how it computes the layer, where its name does not say all
 * @param errors of the products against FP32
 * @param rounding of the operands; none where it rounds none to 8 bits
 */
record Figures(String strategy, String products, Errors errors, Map<Operand, RoundingLoss> rounding) {
  Figures {
    rounding = Map.copyOf(rounding);
  }

  /** Whether the layer is computed otherwise than the strategy is named for. */
  boolean isInNameOnly() {
    return rounding.isEmpty() && !products.isEmpty();
  }

  /** Distances from exact products. */
  record Errors(Distance output, Distance inputGradient, Distance weightGradient) {}
}
