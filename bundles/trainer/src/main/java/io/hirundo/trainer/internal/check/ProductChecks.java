package io.hirundo.trainer.internal.check;

import io.hirundo.device.Device;
import io.hirundo.device.Queue;
import io.hirundo.lib.oracle.DeviceProduct;
import io.hirundo.lib.oracle.DeviceRows;
import io.hirundo.lib.oracle.OperandError;
import io.hirundo.lib.oracle.ProductError;
import io.hirundo.lib.oracle.ResultSums;
import io.hirundo.precision.LinearProduct;
import io.hirundo.precision.MultipliedOperand;
import io.hirundo.precision.Operand;
import io.hirundo.tensor.Tensor;
import java.util.EnumMap;
import java.util.Map;
import java.util.function.Supplier;

/**
 * Checks a layer's products one by one and keeps the worst of each kind. What the strategy throws is kept, too, and ends the checks but
 * not the work that they go with: other ranks wait for that.
 */
final class ProductChecks {
  private final Device device;
  private final Queue queue;
  private final Map<LinearProduct, LayerErrors.Found> found = new EnumMap<>(LinearProduct.class);
  private boolean unchecked;
  private Throwable failure;

  /** {@code queue}: on which all products are made. */
  ProductChecks(Device device, Queue queue) {
    this.device = device;
    this.queue = queue;
  }

  /**
   * An operand of a product.
   *
   * @param operand which one
   * @param multiplied asked for after the product, and closed; gives null where nobody can look, and the product is not checked
   * @param original what it was made of; null where that is not known here
   */
  record Checked(Operand operand, Supplier<MultipliedOperand> multiplied, Tensor original) {}

  /** Makes a product that replaces {@code result}, and checks it. */
  void product(LinearProduct product, Runnable work, Checked left, Checked right, Tensor result) {
    attempt(
        () -> {
          work.run();
          keep(product, left, right, null, result);
        });
  }

  /** Makes a product that is added to {@code result}, and checks it. */
  void added(LinearProduct product, Runnable work, Checked left, Checked right, Tensor result) {
    attempt(
        () -> {
          ResultSums before = DeviceProduct.sums(device, queue, result);
          work.run();
          keep(product, left, right, before, result);
        });
  }

  /** Nothing more, once it has failed. */
  void attempt(Runnable work) {
    if (failure != null) {
      return;
    }
    try {
      work.run();
    } catch (RuntimeException | LinkageError thrown) {
      failure = thrown;
    }
  }

  /** As {@link #attempt}; null where nothing was made. */
  <T> T attempted(Supplier<T> work) {
    var made = new Object[1];
    attempt(() -> made[0] = work.get());
    @SuppressWarnings("unchecked")
    T result = (T) made[0];
    return result;
  }

  private void keep(LinearProduct product, Checked left, Checked right, ResultSums before, Tensor result) {
    try (MultipliedOperand ofRows = left.multiplied().get();
        MultipliedOperand ofColumns = right.multiplied().get()) {
      if (ofRows == null || ofColumns == null) {
        unchecked = true;
        return;
      }
      try (var made = new DeviceProduct(device, queue, ofRows, ofColumns)) {
        ProductError arithmetic = before == null ? made.error(result) : made.addedError(before, result);
        keep(product, new LayerErrors.Found(arithmetic, rounding(product, left, ofRows).with(rounding(product, right, ofColumns))));
      }
    }
  }

  private void keep(LinearProduct product, LayerErrors.Found one) {
    found.merge(product, one, LayerErrors.Found::worse);
  }

  /** An operand was rounded for a product that another rank makes, or this one later. */
  void rounded(LinearProduct product, Checked operand) {
    attempt(
        () -> {
          try (MultipliedOperand multiplied = operand.multiplied().get()) {
            if (multiplied != null) {
              keep(product, new LayerErrors.Found(ProductError.NONE, rounding(product, operand, multiplied)));
            }
          }
        });
  }

  private LayerErrors.Quantization rounding(LinearProduct product, Checked operand, MultipliedOperand multiplied) {
    if (operand.original() == null || multiplied.values() == operand.original()) {
      return LayerErrors.Quantization.NONE;
    }
    boolean transposed = multiplied.contractedLast() != product.contractsLast(operand.operand());
    try (var original = new DeviceRows(device, queue, operand.original());
        var values = DeviceRows.of(device, queue, multiplied)) {
      return new LayerErrors.Quantization(
          OperandError.of(original, values, transposed).relative(), OperandError.largest(multiplied.values().dtype()));
    }
  }

  LayerErrors errors(String layer) {
    return new LayerErrors(layer, found, unchecked, failure == null ? "" : failure.toString());
  }
}
