package io.hirundo.devicecuda.internal.kernel;

import io.hirundo.device.Queue;
import io.hirundo.devicecuda.internal.CudaTensor;
import io.hirundo.devicecuda.internal.Modules;
import io.hirundo.devicecuda.internal.Operands;
import io.hirundo.devicecuda.internal.Workspace;
import io.hirundo.kernel.AdamWCoefficients;
import io.hirundo.kernel.OptimizerKernels;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Shape;
import io.hirundo.tensor.Tensor;

/** Kernels of {@code optimizer.cu}. */
record CudaOptimizer(Modules modules, Workspace workspace) implements OptimizerKernels {
  private static final String FILE = "optimizer";
  private static final long ELEMENTS_OF_BLOCK = 1 << 15;
  private static final long MOST_BLOCKS = Workspace.BYTES / Double.BYTES;
  private static final int WARP = 32;

  @Override
  public void addSumOfSquares(Queue queue, Tensor x, Tensor sum1) {
    CudaTensor checked = Operands.floating("x", x);
    CudaTensor sum = scalar("sum1", sum1);
    long most = MOST_BLOCKS * ELEMENTS_OF_BLOCK;
    for (long first = 0; first < checked.elements(); first += most) {
      long count = Math.min(most, checked.elements() - first);
      CudaTensor part = Operands.of("x", checked.view(first, Shape.of(count)));
      workspace.use(queue, partial -> addSumOfSquares(queue, part, partial, sum));
    }
  }

  private void addSumOfSquares(Queue queue, CudaTensor x, long partial, CudaTensor sum) {
    long blocks = Math.ceilDiv(x.elements(), ELEMENTS_OF_BLOCK);
    modules
        .launch(queue, FILE, "sum_of_squares" + Operands.suffix(x))
        .tensor(x)
        .integer(x.elements())
        .integer(partial)
        .run(blocks, Grid.THREADS);
    modules.launch(queue, FILE, "add_partials").integer(partial).integer(blocks).tensor(sum).run(1, Grid.THREADS);
  }

  @Override
  public void clipCoefficient(Queue queue, Tensor sumOfSquares1, double maximumNorm, Tensor norm1, Tensor coefficient1) {
    modules
        .launch(queue, FILE, "clip_coefficient")
        .tensor(scalar("sumOfSquares1", sumOfSquares1))
        .real(maximumNorm)
        .tensor(scalar("norm1", norm1))
        .tensor(scalar("coefficient1", coefficient1))
        .run(1, WARP);
  }

  @Override
  public void adamW(
      Queue queue,
      AdamWCoefficients coefficients,
      Tensor gradientCoefficient1,
      Tensor gradientN,
      Tensor parameterN,
      Tensor firstMomentN,
      Tensor secondMomentN) {
    CudaTensor coefficient = scalar("gradientCoefficient1", gradientCoefficient1);
    CudaTensor parameter = Operands.floating("parameterN", parameterN);
    long elements = parameter.elements();
    modules
        .launch(queue, FILE, "adamw" + Operands.suffix(parameter))
        .tensor(coefficient)
        .tensor(Operands.vector("gradientN", gradientN, elements, parameter.dtype()))
        .tensor(parameter)
        .tensor(Operands.vector("firstMomentN", firstMomentN, elements, parameter.dtype()))
        .tensor(Operands.vector("secondMomentN", secondMomentN, elements, parameter.dtype()))
        .integer(elements)
        .real(coefficients.beta1())
        .real(coefficients.beta2())
        .real(coefficients.learningRate() / (1 - Math.pow(coefficients.beta1(), (double) coefficients.step())))
        .real(Math.sqrt(1 - Math.pow(coefficients.beta2(), (double) coefficients.step())))
        .real(1 - coefficients.learningRate() * coefficients.weightDecay())
        .real(coefficients.epsilon())
        .run(Grid.of(elements), Grid.THREADS);
  }

  private static CudaTensor scalar(String operand, Tensor tensor) {
    return Operands.vector(operand, tensor, 1, DType.FP64);
  }
}
