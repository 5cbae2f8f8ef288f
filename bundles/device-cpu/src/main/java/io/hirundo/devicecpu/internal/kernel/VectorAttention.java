package io.hirundo.devicecpu.internal.kernel;

import io.hirundo.device.Queue;
import io.hirundo.devicecpu.internal.CpuTensor;
import io.hirundo.devicecpu.internal.WorkerPool;
import io.hirundo.kernel.AttentionKernels;
import io.hirundo.kernel.AttentionShape;
import io.hirundo.kernel.Heads;
import io.hirundo.kernel.QueryKeyValue;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Tensor;

/**
 * Attention with the Vector API, for FP32. FP64 and BF16 operands, and heads of more than
 * {@value AttentionTiles#MAX_HEAD_DIM} channels, go to {@link ReferenceAttention}.
 */
public final class VectorAttention implements AttentionKernels {
  private final WorkerPool pool;
  private final ReferenceAttention reference = new ReferenceAttention();

  public VectorAttention(WorkerPool pool) {
    this.pool = pool;
  }

  @Override
  public void splitAndRotate(
      Queue queue, Heads heads, int sequences, Tensor qkvTE, Tensor cosPD2, Tensor sinPD2, Tensor positionsT,
      QueryKeyValue out) {
    RotaryOperands operands = RotaryOperands.of(heads, sequences, "qkvTE", qkvTE, out, cosPD2, sinPD2, positionsT);
    if (operands.isFp32()) {
      VectorRotary rotary = new VectorRotary(operands);
      Blocks.rows(pool, operands.tokens(), heads.fusedChannels(), rotary::splitAndRotate);
    } else {
      ReferenceRotary.splitAndRotate(operands);
    }
  }

  @Override
  public void rotateBackAndJoin(
      Queue queue, Heads heads, int sequences, QueryKeyValue gradient, Tensor cosPD2, Tensor sinPD2, Tensor positionsT,
      Tensor dqkvTE) {
    RotaryOperands operands = RotaryOperands.of(heads, sequences, "dqkvTE", dqkvTE, gradient, cosPD2, sinPD2, positionsT);
    if (operands.isFp32()) {
      VectorRotary rotary = new VectorRotary(operands);
      Blocks.rows(pool, operands.tokens(), heads.fusedChannels(), rotary::rotateBackAndJoin);
    } else {
      ReferenceRotary.rotateBackAndJoin(operands);
    }
  }

  @Override
  public void forward(Queue queue, AttentionShape shape, QueryKeyValue in, Tensor outputTHD, Tensor logSumExpBHS) {
    AttentionOperands operands = AttentionOperands.of(shape, in, outputTHD, logSumExpBHS);
    if (!serves(operands)) {
      reference.forward(queue, shape, in, outputTHD, logSumExpBHS);
      return;
    }
    AttentionForward forward =
        new AttentionForward(
            shape, inputs(operands.in()), operands.output().address(), operands.logSumExp().address());
    pool.run(forward.tasks(), forward::run);
  }

  @Override
  public void backward(
      Queue queue, AttentionShape shape, Tensor outputGradientTHD, QueryKeyValue in, Tensor outputTHD, Tensor logSumExpBHS,
      QueryKeyValue gradient) {
    AttentionOperands operands = AttentionOperands.of(shape, in, outputTHD, logSumExpBHS);
    CpuTensor outputGradient = operands.outputGradient(outputGradientTHD);
    AttentionOperands.Inputs gradients = operands.gradient(gradient);
    if (!serves(operands)) {
      reference.backward(queue, shape, outputGradientTHD, in, outputTHD, logSumExpBHS, gradient);
      return;
    }
    AttentionBackward backward =
        new AttentionBackward(
            shape,
            inputs(operands.in()),
            new AttentionBackward.Results(
                outputGradient.address(), operands.output().address(), operands.logSumExp().address()),
            inputs(gradients));
    pool.run(backward.tasks(), backward::run);
  }

  @Override
  public void merge(
      Queue queue, AttentionShape shape, Tensor partTHD, Tensor partLogSumExpBHS, Tensor outputTHD, Tensor logSumExpBHS) {
    MergeOperands operands = MergeOperands.of(shape, partTHD, partLogSumExpBHS, outputTHD, logSumExpBHS);
    if (!operands.isFp32()) {
      reference.merge(queue, shape, partTHD, partLogSumExpBHS, outputTHD, logSumExpBHS);
      return;
    }
    AttentionMerge merge = new AttentionMerge(operands);
    Blocks.rows(pool, operands.tokens(), shape.heads().outputChannels(), merge::tokens);
  }

  private static boolean serves(AttentionOperands operands) {
    return operands.dtype() == DType.FP32 && operands.shape().heads().dim() <= AttentionTiles.MAX_HEAD_DIM;
  }

  private static AttentionTiles.Inputs inputs(AttentionOperands.Inputs tensors) {
    return new AttentionTiles.Inputs(tensors.query().address(), tensors.key().address(), tensors.value().address());
  }
}
