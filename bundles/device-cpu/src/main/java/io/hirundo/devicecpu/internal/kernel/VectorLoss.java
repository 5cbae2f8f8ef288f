package io.hirundo.devicecpu.internal.kernel;

import io.hirundo.device.Queue;
import io.hirundo.devicecpu.internal.Memory;
import io.hirundo.devicecpu.internal.WorkerPool;
import io.hirundo.kernel.LossKernels;
import io.hirundo.tensor.Tensor;

/**
 * Softmax cross-entropy with the Vector API, for FP32. FP64 and BF16 logits go to {@link ReferenceLoss}. The losses of a
 * block's tokens are summed in FP64 in order, then those of the blocks.
 */
public final class VectorLoss implements LossKernels {
  private final WorkerPool pool;
  private final ReferenceLoss reference = new ReferenceLoss();

  public VectorLoss(WorkerPool pool) {
    this.pool = pool;
  }

  @Override
  public void crossEntropy(Queue queue, Tensor logitsTV, Tensor labelsT, Tensor weightsT, Tensor lossSum1) {
    LossOperands operands = LossOperands.of(logitsTV, labelsT, weightsT, lossSum1);
    if (operands.isFp32()) {
      sum(operands, (softmax, token) -> lossOf(operands, softmax, token));
    } else {
      reference.crossEntropy(queue, logitsTV, labelsT, weightsT, lossSum1);
    }
  }

  @Override
  public void crossEntropyWithGradient(
      Queue queue, Tensor logitsTV, Tensor labelsT, Tensor weightsT, double gradientScale, Tensor lossSum1) {
    LossOperands operands = LossOperands.of(logitsTV, labelsT, weightsT, lossSum1);
    if (operands.isFp32()) {
      sum(operands, (softmax, token) -> lossAndGradientOf(operands, softmax, token, gradientScale));
    } else {
      reference.crossEntropyWithGradient(queue, logitsTV, labelsT, weightsT, gradientScale, lossSum1);
    }
  }

  /** The loss of one token, weighted. */
  @FunctionalInterface
  private interface TokenLoss {
    double of(SoftmaxRow softmax, int token);
  }

  private void sum(LossOperands operands, TokenLoss loss) {
    int block = Blocks.rowsOfBlock(operands.vocabulary());
    // A number for each block of about 32,768 logits: nothing beside the logits.
    double[] sums = new double[Blocks.count(operands.tokens(), block)];
    pool.run(sums.length, (task, scratch) -> {
      SoftmaxRow softmax = new SoftmaxRow(scratch);
      int end = Math.min(operands.tokens(), (task + 1) * block);
      double sum = 0;
      for (int token = task * block; token < end; token++) {
        sum += loss.of(softmax, token);
      }
      sums[task] = sum;
    });
    double total = 0;
    for (double sum : sums) {
      total += sum;
    }
    operands.addToLoss(total);
  }

  private static double lossOf(LossOperands operands, SoftmaxRow softmax, int token) {
    float weight = operands.weight(token);
    if (weight == 0) {
      return 0;
    }
    long row = row(operands, token);
    float max = softmax.max(row, operands.vocabulary());
    double sum = softmax.sumOfExponentials(row, operands.vocabulary(), max);
    return weight * (Math.log(sum) + max - Memory.getFloat(row + operands.label(token) * 4L));
  }

  private static double lossAndGradientOf(LossOperands operands, SoftmaxRow softmax, int token, double gradientScale) {
    float weight = operands.weight(token);
    long row = row(operands, token);
    int vocabulary = operands.vocabulary();
    if (weight == 0) {
      Memory.zero(row, vocabulary * 4L);
      return 0;
    }
    long atLabel = row + operands.label(token) * 4L;
    float logit = Memory.getFloat(atLabel);
    float max = softmax.max(row, vocabulary);
    double sum = softmax.exponentiate(row, vocabulary, max);
    double scale = gradientScale * weight;
    double probability = Memory.getFloat(atLabel) / sum;
    ElementwiseLoops.scale(row, vocabulary, (float) (scale / sum));
    Memory.setFloat(atLabel, (float) (scale * (probability - 1)));
    return weight * (Math.log(sum) + max - logit);
  }

  private static long row(LossOperands operands, int token) {
    return operands.logits().address() + (long) token * operands.vocabulary() * 4;
  }
}
