package io.hirundo.trainer.internal.check;

import io.hirundo.device.Device;
import io.hirundo.device.Queue;
import io.hirundo.lib.oracle.gemm.DeviceProduct;
import io.hirundo.lib.oracle.gemm.DeviceRows;
import io.hirundo.lib.oracle.gemm.OperandError;
import io.hirundo.lib.oracle.gemm.ProductError;
import io.hirundo.lib.oracle.gemm.ResultSums;
import io.hirundo.precision.LinearProduct;
import io.hirundo.precision.MultipliedOperand;
import io.hirundo.precision.Operand;
import io.hirundo.tensor.Tensor;
import java.util.EnumMap;
import java.util.Map;
import java.util.function.Supplier;

/**
 * Checks a layer's GEMMs one by one and keeps the largest error of each kind. An exception of the strategy is recorded and ends the checks
 * of this layer, but the surrounding step continues, because other ranks wait for its collectives.
 */
public final class ProductChecks implements ProductObserver {
  private final Device device;
  private final Queue queue;
  private final Map<LinearProduct, LayerErrors.Found> found = new EnumMap<>(LinearProduct.class);
  private boolean unchecked;
  private Throwable failure;

  /** {@code queue}: the queue of all GEMMs. */
  public ProductChecks(Device device, Queue queue) {
    this.device = device;
    this.queue = queue;
  }

  @Override
  public void product(LinearProduct product, Runnable work, Observed left, Observed right, Tensor result) {
    attempt(
        () -> {
          work.run();
          keep(product, left, right, null, result);
        });
  }

  @Override
  public void added(LinearProduct product, Runnable work, Observed left, Observed right, Tensor result) {
    attempt(
        () -> {
          ResultSums before = DeviceProduct.sums(device, queue, result);
          work.run();
          keep(product, left, right, before, result);
        });
  }

  /** Does nothing after a failure. */
  @Override
  public void attempt(Runnable work) {
    if (failure != null) {
      return;
    }
    try {
      work.run();
    } catch (RuntimeException | LinkageError thrown) {
      failure = thrown;
    }
  }

  @Override
  public <T> T attempted(Supplier<T> work) {
    var made = new Object[1];
    attempt(() -> made[0] = work.get());
    @SuppressWarnings("unchecked")
    T result = (T) made[0];
    return result;
  }

  private void keep(LinearProduct product, Observed left, Observed right, ResultSums before, Tensor result) {
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

  @Override
  public void rounded(LinearProduct product, Observed operand) {
    attempt(
        () -> {
          try (MultipliedOperand multiplied = operand.multiplied().get()) {
            if (multiplied != null) {
              keep(product, new LayerErrors.Found(ProductError.NONE, rounding(product, operand, multiplied)));
            }
          }
        });
  }

  /** Adds the quantization error of a weight whose GEMMs were checked while its unquantized values were absent. */
  public void weight(LinearProduct product, Observed weight) {
    attempt(
        () -> {
          try (MultipliedOperand multiplied = weight.multiplied().get()) {
            LayerErrors.Quantization error = rounding(product, weight, multiplied);
            found.merge(product, new LayerErrors.Found(ProductError.NONE, error), LayerErrors.Found::withOperand);
          }
        });
  }

  private LayerErrors.Quantization rounding(LinearProduct product, Observed operand, MultipliedOperand multiplied) {
    Tensor from = operand.original().get();
    if (from == null || multiplied.values() == from) {
      return LayerErrors.Quantization.NONE;
    }
    boolean transposed = multiplied.contractedLast() != product.contractsLast(operand.operand());
    try (var original = new DeviceRows(device, queue, from);
        var values = DeviceRows.of(device, queue, multiplied)) {
      OperandError error = OperandError.of(original, values, transposed);
      return new LayerErrors.Quantization(
          error.relative(), OperandError.largest(multiplied.values().dtype()),
          new LayerErrors.Scaling(operand.operand(), error.projection()));
    }
  }

  /** The errors so far. */
  public LayerErrors errors(String layer) {
    return new LayerErrors(layer, found, unchecked, failure == null ? "" : failure.toString());
  }
}
