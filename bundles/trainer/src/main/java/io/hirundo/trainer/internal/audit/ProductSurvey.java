package io.hirundo.trainer.internal.audit;

import io.hirundo.precision.LinearProduct;
import io.hirundo.precision.MultipliedOperand;
import io.hirundo.tensor.Tensor;
import io.hirundo.trainer.internal.audit.ProductPlan.Stored;
import io.hirundo.trainer.internal.check.ProductObserver;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/**
 * Looks at each product of a layer in a first step: how many there are, of what extents and types. Operands are asked for as an audit
 * asks for them, so that from this step on no audit takes memory that was not taken before.
 */
final class ProductSurvey implements ProductObserver {
  private final String layer;
  private final Map<LinearProduct, ProductPlan> seen = new EnumMap<>(LinearProduct.class);

  ProductSurvey(String layer) {
    this.layer = layer;
  }

  @Override
  public void product(LinearProduct product, Runnable work, Observed left, Observed right, Tensor result) {
    work.run();
    try (MultipliedOperand ofRows = left.multiplied().get();
        MultipliedOperand ofColumns = right.multiplied().get()) {
      if (ofRows != null && ofColumns != null) {
        long taken = bytes(ofRows) + bytes(ofColumns);
        long summands = ofRows.contractedLast() ? ofRows.values().shape().dim(-1) : ofRows.values().shape().rows();
        var plan =
            new ProductPlan(
                layer, product, 1, result.shape().rows(), result.shape().dim(-1), summands, result.dtype(), Stored.of(ofRows),
                Stored.of(ofColumns), taken);
        seen.merge(product, plan, ProductPlan::plus);
      }
    }
  }

  @Override
  public void added(LinearProduct product, Runnable work, Observed left, Observed right, Tensor result) {
    product(product, work, left, right, result);
  }

  private static long bytes(MultipliedOperand operand) {
    return operand.owned().stream().mapToLong(Tensor::byteSize).sum();
  }

  /** Of each product that can be audited; in the order of {@link LinearProduct}. */
  List<ProductPlan> plans() {
    return List.copyOf(seen.values());
  }
}
