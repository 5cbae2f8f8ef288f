package io.hirundo.model;

import io.hirundo.tensor.Shape;
import java.util.List;

/**
 * A tensor of the published model, by its logical dimensions.
 *
 * @param path published name
 * @param shape each dimension of the tensor is the product of logical ones: rows of a query projection are (query-heads, head), and
 *     no split cuts a head
 * @param on the activation that the weight is applied to. Where other axes than the weight's own split it, a rank's gradient is a
 *     part of a sum
 * @param use what the layer does with it
 * @param initialization values of a new model
 */
public record WeightSpec(String path, List<List<Dim>> shape, Activation on, Use use, Initialization initialization) {
  /** What a layer does with a weight. */
  public enum Use {
    /** Operand of a GEMM, [outputs, inputs]: the precision strategy computes with it. */
    MATRIX,
    /** Rows that are looked up. */
    TABLE,
    /** Scales or is added; no weight decay. */
    VECTOR
  }

  public WeightSpec {
    shape = shape.stream().map(List::copyOf).toList();
  }

  /** Of the unsharded tensor. */
  public Shape globalShape() {
    return new Shape(shape.stream().map(Activation::extent).toList());
  }
}
