package io.hirundo.devicecpu.internal.loss;

import io.hirundo.device.Queue;
import io.hirundo.devicecpu.internal.memory.Memory;
import io.hirundo.devicecpu.internal.tensor.Bf16;
import io.hirundo.devicecpu.internal.tensor.CpuTensor;
import io.hirundo.devicecpu.internal.tensor.Operands;
import io.hirundo.devicecpu.internal.threads.Blocks;
import io.hirundo.devicecpu.internal.threads.Scratch;
import io.hirundo.devicecpu.internal.threads.WorkerPool;
import io.hirundo.devicecpu.internal.vector.ElementwiseLoops;
import io.hirundo.devicecpu.internal.vector.WideSpan;
import io.hirundo.kernel.LossKernels;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Tensor;
import java.util.function.Function;
import java.util.function.IntToDoubleFunction;

/**
 * Softmax cross-entropy with the Vector API, for FP32, and for BF16 whose rows are widened one by one; with gradient, of BF16 rows that are
 * whole pairs of vectors, in {@link PairedRow}. FP64 logits and BF16 rows of more than {@value #MOST_WIDENED} go to {@link ReferenceLoss}. The losses of a block's tokens are summed in FP64 in order,
 * then those of the blocks.
 */
public final class VectorLoss implements LossKernels {
  private static final int MOST_WIDENED = 1 << 18;

  private final WorkerPool pool;
  private final ReferenceLoss reference = new ReferenceLoss();

  public VectorLoss(WorkerPool pool) {
    this.pool = pool;
  }

  static boolean serves(CpuTensor logits) {
    return logits.dtype() == DType.FP32
        || (logits.dtype() == DType.BF16 && Operands.columnsOf(logits) <= MOST_WIDENED);
  }

  @Override
  public void crossEntropy(Queue queue, Tensor logitsTV, Tensor labelsT, Tensor weightsT, Tensor lossSum1) {
    LossOperands operands = LossOperands.of(logitsTV, labelsT, weightsT, lossSum1);
    if (operands.isFast()) {
      sum(operands, scratch -> {
        SoftmaxRow softmax = new SoftmaxRow(scratch);
        Row row = Row.of(operands.logits(), scratch);
        return token -> lossOf(operands, softmax, row, token);
      });
    } else {
      reference.crossEntropy(queue, logitsTV, labelsT, weightsT, lossSum1);
    }
  }

  @Override
  public void crossEntropyWithGradient(
      Queue queue, Tensor logitsTV, Tensor labelsT, Tensor weightsT, double gradientScale, Tensor lossSum1) {
    LossOperands operands = LossOperands.of(logitsTV, labelsT, weightsT, lossSum1);
    int vocabulary = operands.vocabulary();
    if (operands.isFast() && operands.logits().dtype() == DType.BF16 && PairedRow.serves(vocabulary)) {
      sum(operands, scratch -> {
        PairedRow row = new PairedRow(vocabulary, scratch);
        return token -> lossAndGradientOf(operands, row, token, gradientScale);
      });
    } else if (operands.isFast()) {
      sum(operands, scratch -> {
        SoftmaxRow softmax = new SoftmaxRow(scratch);
        Row row = Row.of(operands.logits(), scratch);
        return token -> lossAndGradientOf(operands, softmax, row, token, gradientScale);
      });
    } else {
      reference.crossEntropyWithGradient(queue, logitsTV, labelsT, weightsT, gradientScale, lossSum1);
    }
  }

  @Override
  public void maximum(Queue queue, Tensor logitsTV, Tensor maximumT) {
    CpuTensor logits = Operands.floating("logitsTV", logitsTV);
    if (!serves(logits)) {
      reference.maximum(queue, logitsTV, maximumT);
      return;
    }
    int tokens = Math.toIntExact(Operands.rowsOf(logits));
    int vocabulary = Math.toIntExact(Operands.columnsOf(logits));
    long maximum = Operands.vector("maximumT", maximumT, tokens, DType.FP32).address();
    forEachToken(
        logits, (softmax, row, token) -> Memory.setFloat(maximum + token * 4L, softmax.max(row.read(token), vocabulary)));
  }

  @Override
  public void partialSums(Queue queue, Tensor logitsTV, Tensor labelsT, int firstToken, Tensor maximumT, Tensor sums2T) {
    LossSlice slice = LossSlice.of(logitsTV, labelsT, firstToken, maximumT, sums2T);
    if (!slice.isFast()) {
      reference.partialSums(queue, logitsTV, labelsT, firstToken, maximumT, sums2T);
      return;
    }
    int vocabulary = slice.vocabulary();
    long sums = slice.sums().address();
    long labelled = sums + slice.tokens() * 4L;
    forEachToken(slice.logits(), (softmax, logits, token) -> {
      long row = logits.read(token);
      float max = Memory.getFloat(slice.maximum().address() + token * 4L);
      int column = slice.column(token);
      Memory.setFloat(sums + token * 4L, (float) softmax.sumOfExponentials(row, vocabulary, max));
      Memory.setFloat(labelled + token * 4L, column < 0 ? 0 : Memory.getFloat(row + column * 4L) - max);
    });
  }

  /** A logarithm for each token: next to nothing, whatever the type. */
  @Override
  public void lossOfSums(Queue queue, Tensor sums2T, Tensor weightsT, Tensor lossSum1) {
    reference.lossOfSums(queue, sums2T, weightsT, lossSum1);
  }

  @Override
  public void gradientOfSums(
      Queue queue, Tensor logitsTV, Tensor labelsT, int firstToken, Tensor maximumT, Tensor sums2T, Tensor weightsT,
      double gradientScale) {
    LossSlice slice = LossSlice.of(logitsTV, labelsT, firstToken, maximumT, sums2T);
    if (!slice.isFast()) {
      reference.gradientOfSums(queue, logitsTV, labelsT, firstToken, maximumT, sums2T, weightsT, gradientScale);
      return;
    }
    int vocabulary = slice.vocabulary();
    long weights = Operands.vector("weightsT", weightsT, slice.tokens(), DType.FP32).address();
    forEachToken(slice.logits(), (softmax, logits, token) -> {
      double scale = gradientScale * Memory.getFloat(weights + token * 4L);
      if (scale == 0) {
        logits.zero(token);
        return;
      }
      long row = logits.read(token);
      softmax.exponentiate(row, vocabulary, Memory.getFloat(slice.maximum().address() + token * 4L));
      double sum = Memory.getFloat(slice.sums().address() + token * 4L);
      replaceByGradient(row, vocabulary, sum, slice.column(token), scale);
      logits.store(token);
    });
  }

  /** Rows of logits. */
  private record Row(WideSpan span, int vocabulary) {
    static Row of(CpuTensor logits, Scratch scratch) {
      int vocabulary = Math.toIntExact(Operands.columnsOf(logits));
      return new Row(WideSpan.of(logits, vocabulary, scratch), vocabulary);
    }

    long read(long token) {
      return span.read(token * vocabulary, vocabulary);
    }

    void store(long token) {
      span.store(token * vocabulary, vocabulary);
    }

    void zero(long token) {
      Memory.zero(span.target(token * vocabulary), vocabulary * 4L);
      store(token);
    }
  }

  /** Work on one token. */
  @FunctionalInterface
  private interface TokenAction {
    void run(SoftmaxRow softmax, Row row, int token);
  }

  private void forEachToken(CpuTensor logits, TokenAction action) {
    Blocks.rows(pool, Operands.rowsOf(logits), Operands.columnsOf(logits), (first, count, scratch) -> {
      SoftmaxRow softmax = new SoftmaxRow(scratch);
      Row row = Row.of(logits, scratch);
      for (int token = (int) first; token < first + count; token++) {
        action.run(softmax, row, token);
      }
    });
  }

  /** Adds the weighted losses of all tokens; a task's function gives that of one. */
  private void sum(LossOperands operands, Function<Scratch, IntToDoubleFunction> task) {
    int block = Blocks.rowsOfBlock(operands.vocabulary());
    // A number for each block of about 32,768 logits: negligible memory.
    double[] sums = new double[Blocks.count(operands.tokens(), block)];
    pool.run(sums.length, (index, scratch) -> {
      IntToDoubleFunction loss = task.apply(scratch);
      int end = Math.min(operands.tokens(), (index + 1) * block);
      double sum = 0;
      for (int token = index * block; token < end; token++) {
        sum += loss.applyAsDouble(token);
      }
      sums[index] = sum;
    });
    double total = 0;
    for (double sum : sums) {
      total += sum;
    }
    operands.addToLoss(total);
  }

  private static double lossOf(LossOperands operands, SoftmaxRow softmax, Row logits, int token) {
    float weight = operands.weight(token);
    if (weight == 0) {
      return 0;
    }
    long row = logits.read(token);
    float max = softmax.max(row, operands.vocabulary());
    double sum = softmax.sumOfExponentials(row, operands.vocabulary(), max);
    return weight * (Math.log(sum) + max - Memory.getFloat(row + operands.label(token) * 4L));
  }

  private static double lossAndGradientOf(
      LossOperands operands, SoftmaxRow softmax, Row logits, int token, double gradientScale) {
    float weight = operands.weight(token);
    int vocabulary = operands.vocabulary();
    if (weight == 0) {
      logits.zero(token);
      return 0;
    }
    long row = logits.read(token);
    long atLabel = row + operands.label(token) * 4L;
    float logit = Memory.getFloat(atLabel);
    float max = softmax.max(row, vocabulary);
    double sum = softmax.exponentiate(row, vocabulary, max);
    replaceByGradient(row, vocabulary, sum, operands.label(token), gradientScale * weight);
    logits.store(token);
    return weight * (Math.log(sum) + max - logit);
  }

  private static double lossAndGradientOf(LossOperands operands, PairedRow softmax, int token, double gradientScale) {
    float weight = operands.weight(token);
    int vocabulary = operands.vocabulary();
    long row = operands.logits().address() + (long) token * vocabulary * 2;
    if (weight == 0) {
      Memory.zero(row, vocabulary * 2L);
      return 0;
    }
    long atLabel = row + operands.label(token) * 2L;
    float logit = Bf16.toFloat(Memory.getShort(atLabel));
    float max = softmax.max(row);
    double sum = softmax.exponentiate(row, max);
    double scale = gradientScale * weight;
    softmax.write((float) (scale / sum), row);
    Memory.setShort(atLabel, Bf16.fromFloat((float) (scale * (softmax.exponential(operands.label(token)) / sum - 1))));
    return weight * (Math.log(sum) + max - logit);
  }

  /**
   * Exponentials become gradients.
   *
   * @param label the label's column, or -1 where the row does not have it
   */
  private static void replaceByGradient(long row, int count, double sum, int label, double scale) {
    long atLabel = row + label * 4L;
    double probability = label < 0 ? 0 : Memory.getFloat(atLabel) / sum;
    ElementwiseLoops.scale(row, count, (float) (scale / sum));
    if (label >= 0) {
      Memory.setFloat(atLabel, (float) (scale * (probability - 1)));
    }
  }
}
