package io.hirundo.devicecpu.internal.kernel;

import io.hirundo.device.Queue;
import io.hirundo.devicecpu.internal.CpuTensor;
import io.hirundo.kernel.LossKernels;
import io.hirundo.tensor.Tensor;

/**
 * Softmax cross-entropy as its formulas say, in double arithmetic, for FP64, FP32 and BF16 logits. With m the largest
 * logit of a token, {@code loss = m + log sum exp(logit - m) - logit[label]} and
 * {@code dLogit = exp(logit - m) / sum - onehot(label)}.
 */
public final class ReferenceLoss implements LossKernels {
  @Override
  public void crossEntropy(Queue queue, Tensor logitsTV, Tensor labelsT, Tensor weightsT, Tensor lossSum1) {
    LossOperands operands = LossOperands.of(logitsTV, labelsT, weightsT, lossSum1);
    double loss = 0;
    for (int token = 0; token < operands.tokens(); token++) {
      loss += lossOf(operands, token);
    }
    operands.addToLoss(loss);
  }

  @Override
  public void crossEntropyWithGradient(
      Queue queue, Tensor logitsTV, Tensor labelsT, Tensor weightsT, double gradientScale, Tensor lossSum1) {
    LossOperands operands = LossOperands.of(logitsTV, labelsT, weightsT, lossSum1);
    double loss = 0;
    for (int token = 0; token < operands.tokens(); token++) {
      loss += lossOf(operands, token);
      replaceByGradient(operands, token, gradientScale * operands.weight(token));
    }
    operands.addToLoss(loss);
  }

  private static double lossOf(LossOperands operands, int token) {
    if (operands.weight(token) == 0) {
      return 0;
    }
    long row = (long) token * operands.vocabulary();
    double max = max(operands, row);
    double logit = operands.logits().getDouble(row + operands.label(token));
    return operands.weight(token) * (max - logit + Math.log(sumOfExponentials(operands, row, max)));
  }

  private static void replaceByGradient(LossOperands operands, int token, double scale) {
    CpuTensor logits = operands.logits();
    long row = (long) token * operands.vocabulary();
    double max = max(operands, row);
    double sum = sumOfExponentials(operands, row, max);
    for (int i = 0; i < operands.vocabulary(); i++) {
      double onehot = i == operands.label(token) ? 1 : 0;
      logits.setDouble(row + i, scale == 0 ? 0 : scale * (Math.exp(logits.getDouble(row + i) - max) / sum - onehot));
    }
  }

  private static double max(LossOperands operands, long row) {
    double max = Double.NEGATIVE_INFINITY;
    for (int i = 0; i < operands.vocabulary(); i++) {
      max = Math.max(max, operands.logits().getDouble(row + i));
    }
    return max;
  }

  private static double sumOfExponentials(LossOperands operands, long row, double max) {
    double sum = 0;
    for (int i = 0; i < operands.vocabulary(); i++) {
      sum += Math.exp(operands.logits().getDouble(row + i) - max);
    }
    return sum;
  }
}
