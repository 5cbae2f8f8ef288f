package io.hirundo.fp8pertensor.internal;

import io.hirundo.device.Queue;
import io.hirundo.kernel.MatrixScaledKernels;
import io.hirundo.kernel.ScaleBlock;
import io.hirundo.kernel.ScaledMatrix;
import io.hirundo.precision.Operand;
import io.hirundo.precision.support.OperandQuantizer;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Tensor;
import java.util.EnumMap;
import java.util.Map;
import java.util.function.Supplier;

/**
 * Scales from the largest magnitudes of earlier steps: of activations and output gradients those that gradients were found
 * from, of the weight those that it had. All products of a step use the same scales. Before the first step has ended, scales
 * are those of {@link CurrentQuantizer}.
 *
 * <p>A step has ended when the weight is prepared after a gradient was found. So evaluations leave no trace, recomputation
 * changes nothing, and a weight that is prepared twice counts once.
 */
final class DelayedQuantizer implements OperandQuantizer {
  private final MatrixScaledKernels kernels;
  private final Codes codes;
  private final OperandQuantizer current;
  private final Map<Operand, AmaxHistory> histories = new EnumMap<>(Operand.class);
  private boolean gradientIsFound;
  private boolean trial;

  /**
   * Closes what it was given.
   *
   * @param current for the first step
   * @param history makes an empty one
   */
  DelayedQuantizer(MatrixScaledKernels kernels, Codes codes, OperandQuantizer current, Supplier<AmaxHistory> history) {
    this.kernels = kernels;
    this.codes = codes;
    this.current = current;
    try {
      for (Operand operand : Operand.values()) {
        histories.put(operand, history.get());
      }
    } catch (RuntimeException failure) {
      close();
      throw failure;
    }
  }

  @Override
  public ScaleBlock block(Operand operand) {
    return ScaleBlock.MATRIX;
  }

  @Override
  public DType codes(Operand operand) {
    return codes.of(operand);
  }

  @Override
  public void weightIsNew(Queue queue, Tensor wNK) {
    if (gradientIsFound) {
      histories.values().forEach(history -> history.endStep(queue));
      gradientIsFound = false;
    }
    histories.get(Operand.WEIGHT).see(queue, wNK, false);
  }

  @Override
  public void gradientIsFound(Queue queue, Tensor dyTN, Tensor xTK) {
    if (!trial) {
      histories.get(Operand.OUTPUT_GRADIENT).see(queue, dyTN, gradientIsFound);
      histories.get(Operand.INPUT).see(queue, xTK, gradientIsFound);
      gradientIsFound = true;
    }
  }

  @Override
  public void quantize(Queue queue, Operand operand, Tensor xMK, ScaledMatrix rowsMK) {
    AmaxHistory history = histories.get(operand);
    if (history.isEmpty()) {
      current.quantize(queue, operand, xMK, rowsMK);
    } else {
      kernels.quantize(queue, xMK, history.amax(), codes.rule(), rowsMK);
    }
  }

  @Override
  public void quantizeTransposed(Queue queue, Operand operand, Tensor xMK, ScaledMatrix columnsKM) {
    AmaxHistory history = histories.get(operand);
    if (history.isEmpty()) {
      current.quantizeTransposed(queue, operand, xMK, columnsKM);
    } else {
      kernels.quantizeTransposed(queue, xMK, history.amax(), codes.rule(), columnsKM);
    }
  }

  @Override
  public void trial(boolean on) {
    trial = on;
  }

  @Override
  public void close() {
    histories.values().forEach(AmaxHistory::close);
    current.close();
  }
}
