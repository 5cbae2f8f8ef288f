package io.hirundo.trainer.internal.check;

import io.hirundo.lib.oracle.ProductError;
import io.hirundo.precision.LinearProduct;
import java.util.Map;

/**
 * What was found of a layer's products.
 *
 * @param layer name of the weight
 * @param products of each product that was made
 * @param unchecked whether there were products whose operands the strategy does not tell
 * @param failure of the strategy; empty where there was none, otherwise the rest is of what was made before
 */
public record LayerErrors(String layer, Map<LinearProduct, Found> products, boolean unchecked, String failure) {
  /**
   * Of one product, the worst of all calls.
   *
   * @param arithmetic on the operands that were multiplied
   * @param rounding what rounding of its operands changes in the product, norm of the difference over norm: the root of the sum of
   *     the squares of both operands' own
   */
  public record Found(ProductError arithmetic, double rounding) {
    Found worse(Found other) {
      return new Found(
          arithmetic.worse(other.arithmetic), Double.compare(other.rounding, rounding) > 0 ? other.rounding : rounding);
    }
  }

  public LayerErrors {
    products = Map.copyOf(products);
  }
}
