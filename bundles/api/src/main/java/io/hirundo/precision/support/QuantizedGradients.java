package io.hirundo.precision.support;

import io.hirundo.device.Queue;
import io.hirundo.precision.GradientPair;
import io.hirundo.precision.Operand;
import io.hirundo.precision.PackedOperand;
import io.hirundo.tensor.Tensor;

/** Gradients from codes of dy and of its transpose, which were made at once. Each copy is given back when its product has it. */
final class QuantizedGradients implements GradientPair {
  private final QuantizedProducts products;
  private final Queue queue;
  private final Tensor dyTN;
  private final QuantizedWeight weight;
  private final Tensor dwNK;

  /** Null after their products. */
  private QuantizedMatrix rows;

  private QuantizedMatrix columns;

  /** {@code rows}, {@code columns}: of dy, taken over. */
  QuantizedGradients(
      QuantizedProducts products, Queue queue, Tensor dyTN, QuantizedMatrix rows, QuantizedMatrix columns,
      QuantizedWeight weight, Tensor dwNK) {
    this.products = products;
    this.queue = queue;
    this.dyTN = dyTN;
    this.rows = rows;
    this.columns = columns;
    this.weight = weight;
    this.dwNK = dwNK;
  }

  void quantize(OperandQuantizer quantizer) {
    quantizer.quantizeBoth(queue, Operand.OUTPUT_GRADIENT, dyTN, rows.scaled(), columns.scaled());
  }

  @Override
  public void input(Tensor dxTK) {
    try (QuantizedMatrix dy = rows) {
      rows = null;
      products.inputGradient(queue, dy, weight, dxTK);
    }
  }

  @Override
  public void weight(Tensor xTK) {
    try (QuantizedMatrix dy = columns) {
      columns = null;
      products.weightGradient(queue, dy, dyTN, xTK, dwNK);
    }
  }

  @Override
  public void weight(PackedOperand x) {
    try (QuantizedMatrix dy = columns) {
      columns = null;
      products.packedProducts().orElseThrow().weightGradient(queue, dy, x, dwNK);
    }
  }

  @Override
  public void close() {
    try (QuantizedMatrix _ = rows;
        QuantizedMatrix _ = columns) {
      rows = null;
      columns = null;
    }
  }
}
