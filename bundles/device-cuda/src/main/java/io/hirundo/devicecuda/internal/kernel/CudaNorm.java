package io.hirundo.devicecuda.internal.kernel;

import io.hirundo.device.Queue;
import io.hirundo.devicecuda.internal.CudaTensor;
import io.hirundo.devicecuda.internal.Modules;
import io.hirundo.devicecuda.internal.Operands;
import io.hirundo.kernel.NormKernels;
import io.hirundo.tensor.Tensor;

/** Kernels of {@code norm.cu}: a block for each token, or for 32 channels of a weight's gradient. */
record CudaNorm(Modules modules) implements NormKernels {
  private static final String FILE = "norm";
  private static final long CHANNELS_OF_BLOCK = 32;

  @Override
  public void forward(Queue queue, Tensor xTC, Tensor weightC, double epsilon, Tensor yTC, Tensor inverseRmsT) {
    CudaTensor x = Operands.floating("xTC", xTC);
    CudaTensor weight = weight(x, "weightC", weightC);
    modules
        .launch(queue, FILE, name("forward", x, weight))
        .tensor(x)
        .tensor(weight)
        .real(epsilon)
        .tensor(like(x, "yTC", yTC))
        .tensor(inverseRms(x, inverseRmsT))
        .integer(Operands.columnsOf(x))
        .run(Operands.rowsOf(x), Grid.THREADS);
  }

  @Override
  public void addForward(
      Queue queue, Tensor xTC, Tensor deltaTC, Tensor weightC, double epsilon, Tensor sumTC, Tensor yTC, Tensor inverseRmsT) {
    CudaTensor x = Operands.floating("xTC", xTC);
    CudaTensor weight = weight(x, "weightC", weightC);
    modules
        .launch(queue, FILE, name("add_forward", x, weight))
        .tensor(x)
        .tensor(like(x, "deltaTC", deltaTC))
        .tensor(weight)
        .real(epsilon)
        .tensor(like(x, "sumTC", sumTC))
        .tensor(like(x, "yTC", yTC))
        .tensor(inverseRms(x, inverseRmsT))
        .integer(Operands.columnsOf(x))
        .run(Operands.rowsOf(x), Grid.THREADS);
  }

  @Override
  public void reapply(Queue queue, Tensor xTC, Tensor weightC, Tensor inverseRmsT, Tensor yTC) {
    CudaTensor x = Operands.floating("xTC", xTC);
    CudaTensor weight = weight(x, "weightC", weightC);
    modules
        .launch(queue, FILE, name("reapply", x, weight))
        .tensor(x)
        .tensor(weight)
        .tensor(inverseRms(x, inverseRmsT))
        .tensor(like(x, "yTC", yTC))
        .integer(Operands.columnsOf(x))
        .run(Operands.rowsOf(x), Grid.THREADS);
  }

  @Override
  public void backwardInput(
      Queue queue, Tensor dyTC, Tensor xTC, Tensor weightC, Tensor inverseRmsT, Tensor residualGradientTC, Tensor dxTC) {
    CudaTensor x = Operands.floating("xTC", xTC);
    CudaTensor weight = weight(x, "weightC", weightC);
    modules
        .launch(queue, FILE, name("backward_input", x, weight))
        .tensor(like(x, "dyTC", dyTC))
        .tensor(x)
        .tensor(weight)
        .tensor(inverseRms(x, inverseRmsT))
        .tensor(residualGradientTC == null ? null : like(x, "residualGradientTC", residualGradientTC))
        .tensor(like(x, "dxTC", dxTC))
        .integer(Operands.columnsOf(x))
        .run(Operands.rowsOf(x), Grid.THREADS);
  }

  @Override
  public void backwardWeight(Queue queue, Tensor dyTC, Tensor xTC, Tensor inverseRmsT, Tensor dwC) {
    CudaTensor x = Operands.floating("xTC", xTC);
    CudaTensor dw = weight(x, "dwC", dwC);
    modules
        .launch(queue, FILE, name("backward_weight", x, dw))
        .tensor(like(x, "dyTC", dyTC))
        .tensor(x)
        .tensor(inverseRms(x, inverseRmsT))
        .tensor(dw)
        .integer(Operands.rowsOf(x))
        .integer(Operands.columnsOf(x))
        .run(Math.ceilDiv(Operands.columnsOf(x), CHANNELS_OF_BLOCK), Grid.THREADS);
  }

  private static String name(String kernel, CudaTensor x, CudaTensor weight) {
    return kernel + Operands.suffix(x) + Operands.suffix(weight);
  }

  private static CudaTensor like(CudaTensor x, String name, Tensor tensor) {
    return Operands.matrix(name, tensor, Operands.rowsOf(x), Operands.columnsOf(x), x.dtype());
  }

  /** FP32 beside BF16, too. */
  private static CudaTensor weight(CudaTensor x, String name, Tensor tensor) {
    return Operands.vector(name, tensor, Operands.columnsOf(x), x.dtype(), Operands.statisticsType(x.dtype()));
  }

  private static CudaTensor inverseRms(CudaTensor x, Tensor inverseRmsT) {
    return Operands.vector("inverseRmsT", inverseRmsT, Operands.rowsOf(x), Operands.statisticsType(x.dtype()));
  }
}
