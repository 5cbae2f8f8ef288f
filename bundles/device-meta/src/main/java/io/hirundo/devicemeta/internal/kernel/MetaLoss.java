package io.hirundo.devicemeta.internal.kernel;

import io.hirundo.device.Queue;
import io.hirundo.devicemeta.internal.MetaTensor;
import io.hirundo.devicemeta.internal.Operands;
import io.hirundo.devicemeta.internal.Work;
import io.hirundo.kernel.LossKernels;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Tensor;

/** Cross-entropy. Operations per logit: 4, with the gradient 6. */
record MetaLoss(Work work) implements LossKernels {
  @Override
  public void crossEntropy(Queue queue, Tensor logitsTV, Tensor labelsT, Tensor weightsT, Tensor lossSum1) {
    book("loss.crossEntropy", 4, logitsTV, labelsT, weightsT, lossSum1);
  }

  @Override
  public void crossEntropyWithGradient(
      Queue queue, Tensor logitsTV, Tensor labelsT, Tensor weightsT, double gradientScale, Tensor lossSum1) {
    book("loss.crossEntropyWithGradient", 6, logitsTV, labelsT, weightsT, lossSum1);
  }

  private void book(
      String kernel, long operationsPerLogit, Tensor logitsTV, Tensor labelsT, Tensor weightsT, Tensor lossSum1) {
    MetaTensor logits = Operands.floating("logitsTV", logitsTV);
    long tokens = Operands.rowsOf(logits);
    work.book(
        kernel,
        operationsPerLogit * logits.elements(),
        logits,
        Operands.vector("labelsT", labelsT, tokens, DType.INT32),
        Operands.vector("weightsT", weightsT, tokens, DType.FP32),
        Operands.vector("lossSum1", lossSum1, 1, DType.FP64));
  }
}
