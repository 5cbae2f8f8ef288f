package io.hirundo.trainer.internal.check;

import io.hirundo.precision.LinearProduct;
import io.hirundo.precision.MultipliedOperand;
import io.hirundo.precision.Operand;
import io.hirundo.tensor.Tensor;
import java.util.function.Supplier;

/** Looks at a layer's products, each when it is made: it does the work itself, before or after it looks. Belongs to the rank's thread. */
public interface ProductObserver {
  /**
   * An operand of a product.
   *
   * @param operand which one
   * @param multiplied asked for after the product, and closed; gives null where nobody can look
   * @param original what it was made of; null where that is not known here
   */
  record Observed(Operand operand, Supplier<MultipliedOperand> multiplied, Supplier<Tensor> original) {}

  /** A product that replaces {@code result}. */
  void product(LinearProduct product, Runnable work, Observed left, Observed right, Tensor result);

  /** A product that is added to {@code result}. */
  void added(LinearProduct product, Runnable work, Observed left, Observed right, Tensor result);

  /** Work that belongs to products, but is none that can be looked at by itself. */
  default void attempt(Runnable work) {
    work.run();
  }

  /** As {@link #attempt}; null where nothing was made. */
  default <T> T attempted(Supplier<T> work) {
    return work.get();
  }

  /** An operand was rounded for a product that another rank makes, or this one later. */
  default void rounded(LinearProduct product, Observed operand) {}
}
