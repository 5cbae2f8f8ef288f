package io.hirundo.devicecuda.internal.kernel;

import io.hirundo.device.Queue;
import io.hirundo.devicecuda.internal.launch.Modules;
import io.hirundo.devicecuda.internal.memory.CudaTensor;
import io.hirundo.devicecuda.internal.memory.Operands;
import io.hirundo.kernel.ElementwiseKernels;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Tensor;

/** Kernels of {@code elementwise.cu}. Copies within a dtype are bitwise. */
record CudaElementwise(Modules modules) implements ElementwiseKernels {
  private static final String FILE = "elementwise";

  @Override
  public void fill(Queue queue, Tensor x, double value) {
    CudaTensor checked = Operands.of("x", x);
    modules
        .launch(queue, FILE, "fill" + Operands.suffix(checked))
        .tensor(checked)
        .integer(checked.elements())
        .real(value)
        .run(Grid.of(checked.elements()), Grid.THREADS);
  }

  @Override
  public void add(Queue queue, Tensor x, Tensor into) {
    CudaTensor from = Operands.floating("x", x);
    CudaTensor to = Operands.vector("into", into, from.elements(), from.dtype(), Operands.statisticsType(from.dtype()));
    combine(queue, "add" + Operands.suffix(from) + Operands.suffix(to), from, to);
  }

  @Override
  public void maximum(Queue queue, Tensor x, Tensor into) {
    CudaTensor from = Operands.floating("x", x);
    CudaTensor to = Operands.vector("into", into, from.elements(), from.dtype());
    combine(queue, "maximum" + Operands.suffix(from), from, to);
  }

  @Override
  public void copy(Queue queue, Tensor from, Tensor to) {
    CudaTensor source = Operands.of("from", from);
    CudaTensor target = Operands.of("to", to);
    if (target.dtype().isFloating() != source.dtype().isFloating()) {
      throw new IllegalArgumentException(
          "to is " + target.dtype() + ", but from is " + source.dtype() + ": integers and floating types do not mix");
    }
    Operands.vector("to", to, source.elements());
    combine(queue, source.dtype() == target.dtype() ? bitwise(source.dtype()) : "copy" + Operands.suffix(source) + Operands.suffix(target), source, target);
  }

  @Override
  public void copyColumns(Queue queue, Tensor fromMK, Tensor toMN, long firstColumn) {
    CudaTensor source = Operands.of("fromMK", fromMK);
    CudaTensor target = Operands.of("toMN", toMN, source.dtype());
    long columns = Operands.columnsOf(target);
    Operands.matrix("toMN", target, Operands.rowsOf(source), columns);
    if (firstColumn < 0 || firstColumn > columns - Operands.columnsOf(source)) {
      throw new IllegalArgumentException(
          "toMN has no columns " + firstColumn + " to " + (firstColumn + Operands.columnsOf(source)) + ", but " + columns);
    }
    modules
        .launch(queue, FILE, "copy_columns" + source.dtype().byteSize())
        .tensor(source)
        .tensor(target)
        .integer(source.elements())
        .integer(Operands.columnsOf(source))
        .integer(columns)
        .integer(firstColumn)
        .run(Grid.of(source.elements()), Grid.THREADS);
  }

  private static String bitwise(DType dtype) {
    return "copy_bytes" + dtype.byteSize();
  }

  @Override
  public void scale(Queue queue, Tensor x, double factor) {
    CudaTensor checked = Operands.floating("x", x);
    modules
        .launch(queue, FILE, "scale" + Operands.suffix(checked))
        .tensor(checked)
        .integer(checked.elements())
        .real(factor)
        .run(Grid.of(checked.elements()), Grid.THREADS);
  }

  private void combine(Queue queue, String kernel, CudaTensor from, CudaTensor to) {
    modules
        .launch(queue, FILE, kernel)
        .tensor(from)
        .tensor(to)
        .integer(from.elements())
        .run(Grid.of(from.elements()), Grid.THREADS);
  }
}
