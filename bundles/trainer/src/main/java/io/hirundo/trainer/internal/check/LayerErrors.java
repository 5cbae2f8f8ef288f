package io.hirundo.trainer.internal.check;

import io.hirundo.lib.oracle.gemm.ProductError;
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
   * @param rounding of these operands
   */
  public record Found(ProductError arithmetic, Quantization rounding) {
    Found worse(Found other) {
      return new Found(arithmetic.worse(other.arithmetic), rounding.worse(other.rounding));
    }
  }

  /**
   * What quantizing its operands changes in a product, norm of the difference over norm: the root of the sum of the squares of both
   * operands' own.
   *
   * @param error measured
   * @param largest that the types of the quantized operands explain ({@code OperandError.largest})
   */
  public record Quantization(double error, double largest) {
    static final Quantization NONE = new Quantization(0, 0);

    Quantization with(Quantization other) {
      return new Quantization(Math.hypot(error, other.error), Math.hypot(largest, other.largest));
    }

    /** The one that uses more of what its types explain. */
    Quantization worse(Quantization other) {
      return Double.compare(other.share(), share()) > 0 ? other : this;
    }

    private double share() {
      return error == 0 ? 0 : error / largest;
    }
  }

  public LayerErrors {
    products = Map.copyOf(products);
  }
}
