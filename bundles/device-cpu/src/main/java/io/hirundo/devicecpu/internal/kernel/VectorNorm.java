package io.hirundo.devicecpu.internal.kernel;

import io.hirundo.device.Queue;
import io.hirundo.devicecpu.internal.CpuTensor;
import io.hirundo.devicecpu.internal.Memory;
import io.hirundo.devicecpu.internal.WorkerPool;
import io.hirundo.kernel.NormKernels;
import io.hirundo.tensor.Tensor;

/** RMSNorm with the Vector API, for FP32. FP64 and BF16 operands go to {@link ReferenceNorm}. */
public final class VectorNorm implements NormKernels {
  private final WorkerPool pool;
  private final ReferenceNorm reference = new ReferenceNorm();

  public VectorNorm(WorkerPool pool) {
    this.pool = pool;
  }

  @Override
  public void forward(Queue queue, Tensor xTC, Tensor weightC, double epsilon, Tensor yTC, Tensor inverseRmsT) {
    NormOperands operands = NormOperands.of(xTC, inverseRmsT);
    if (!operands.isFp32()) {
      reference.forward(queue, xTC, weightC, epsilon, yTC, inverseRmsT);
      return;
    }
    int channels = operands.channels();
    long x = operands.x().address();
    long weight = operands.weight("weightC", weightC).address();
    long y = operands.rows("yTC", yTC).address();
    long inverseRms = operands.inverseRms().address();
    forEachToken(operands, token -> {
      long row = token * channels * 4;
      float r = inverseRms(NormRows.sumOfSquares(x + row, channels), channels, epsilon);
      Memory.setFloat(inverseRms + token * 4, r);
      NormRows.apply(x + row, weight, r, channels, y + row);
    });
  }

  @Override
  public void addForward(
      Queue queue, Tensor xTC, Tensor deltaTC, Tensor weightC, double epsilon, Tensor sumTC, Tensor yTC,
      Tensor inverseRmsT) {
    NormOperands operands = NormOperands.of(xTC, inverseRmsT);
    if (!operands.isFp32()) {
      reference.addForward(queue, xTC, deltaTC, weightC, epsilon, sumTC, yTC, inverseRmsT);
      return;
    }
    int channels = operands.channels();
    long x = operands.x().address();
    long delta = operands.rows("deltaTC", deltaTC).address();
    long weight = operands.weight("weightC", weightC).address();
    long sum = operands.rows("sumTC", sumTC).address();
    long y = operands.rows("yTC", yTC).address();
    long inverseRms = operands.inverseRms().address();
    forEachToken(operands, token -> {
      long row = token * channels * 4;
      NormRows.add(x + row, delta + row, channels, sum + row);
      float r = inverseRms(NormRows.sumOfSquares(sum + row, channels), channels, epsilon);
      Memory.setFloat(inverseRms + token * 4, r);
      NormRows.apply(sum + row, weight, r, channels, y + row);
    });
  }

  @Override
  public void reapply(Queue queue, Tensor xTC, Tensor weightC, Tensor inverseRmsT, Tensor yTC) {
    NormOperands operands = NormOperands.of(xTC, inverseRmsT);
    if (!operands.isFp32()) {
      reference.reapply(queue, xTC, weightC, inverseRmsT, yTC);
      return;
    }
    int channels = operands.channels();
    long x = operands.x().address();
    long weight = operands.weight("weightC", weightC).address();
    long y = operands.rows("yTC", yTC).address();
    long inverseRms = operands.inverseRms().address();
    forEachToken(operands, token -> {
      long row = token * channels * 4;
      NormRows.apply(x + row, weight, Memory.getFloat(inverseRms + token * 4), channels, y + row);
    });
  }

  @Override
  public void backwardInput(
      Queue queue, Tensor dyTC, Tensor xTC, Tensor weightC, Tensor inverseRmsT, Tensor residualGradientTC, Tensor dxTC) {
    NormOperands operands = NormOperands.of(xTC, inverseRmsT);
    if (!operands.isFp32()) {
      reference.backwardInput(queue, dyTC, xTC, weightC, inverseRmsT, residualGradientTC, dxTC);
      return;
    }
    int channels = operands.channels();
    long dy = operands.rows("dyTC", dyTC).address();
    long x = operands.x().address();
    long weight = operands.weight("weightC", weightC).address();
    long dx = operands.rows("dxTC", dxTC).address();
    long inverseRms = operands.inverseRms().address();
    CpuTensor residual = residualGradientTC == null ? null : operands.rows("residualGradientTC", residualGradientTC);
    forEachToken(operands, token -> {
      long row = token * channels * 4;
      float r = Memory.getFloat(inverseRms + token * 4);
      float perX = -r * r * r * NormRows.sumOfProducts(dy + row, weight, x + row, channels) / channels;
      if (residual == null) {
        NormRows.combine(dy + row, weight, x + row, r, perX, channels, dx + row);
      } else {
        NormRows.combineAndAdd(dy + row, weight, x + row, r, perX, residual.address() + row, channels, dx + row);
      }
    });
  }

  @Override
  public void backwardWeight(Queue queue, Tensor dyTC, Tensor xTC, Tensor inverseRmsT, Tensor dwC) {
    NormOperands operands = NormOperands.of(xTC, inverseRmsT);
    if (!operands.isFp32()) {
      reference.backwardWeight(queue, dyTC, xTC, inverseRmsT, dwC);
      return;
    }
    NormColumns columns =
        new NormColumns(
            operands.rows("dyTC", dyTC).address(), operands.x().address(), operands.inverseRms().address(),
            Math.toIntExact(operands.tokens()), operands.channels());
    long dw = operands.weight("dwC", dwC).address();
    pool.run(columns.tasks(), (task, scratch) -> columns.add(task, dw));
  }

  /** Work on one token. */
  @FunctionalInterface
  private interface TokenAction {
    void run(long token);
  }

  private void forEachToken(NormOperands operands, TokenAction action) {
    Blocks.rows(pool, operands.tokens(), operands.channels(), (first, count) -> {
      for (long token = first; token < first + count; token++) {
        action.run(token);
      }
    });
  }

  private static float inverseRms(float squares, int channels, double epsilon) {
    return (float) (1 / Math.sqrt((double) squares / channels + epsilon));
  }
}
