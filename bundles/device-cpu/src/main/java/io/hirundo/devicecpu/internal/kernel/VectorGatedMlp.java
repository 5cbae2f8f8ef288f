package io.hirundo.devicecpu.internal.kernel;

import io.hirundo.device.Queue;
import io.hirundo.devicecpu.internal.WorkerPool;
import io.hirundo.kernel.GatedMlpKernels;
import io.hirundo.tensor.Tensor;

/** SwiGLU with the Vector API, for FP32. FP64 and BF16 operands go to {@link ReferenceGatedMlp}. */
public final class VectorGatedMlp implements GatedMlpKernels {
  private final WorkerPool pool;
  private final ReferenceGatedMlp reference = new ReferenceGatedMlp();

  public VectorGatedMlp(WorkerPool pool) {
    this.pool = pool;
  }

  @Override
  public void forward(Queue queue, Tensor gateUpT2F, Tensor yTF) {
    GatedMlpOperands operands = GatedMlpOperands.of("yTF", yTF, gateUpT2F);
    if (!operands.isFp32()) {
      reference.forward(queue, gateUpT2F, yTF);
      return;
    }
    long channels = operands.channels();
    long gateUp = operands.gateUp().address();
    long y = operands.inner().address();
    forEachChunk(operands, (loops, token, channel, count) -> {
      long gate = gateUp + (2 * token * channels + channel) * 4;
      loops.forward(gate, gate + channels * 4, count, y + (token * channels + channel) * 4);
    });
  }

  @Override
  public void backward(Queue queue, Tensor dyTF, Tensor gateUpT2F, Tensor dGateUpT2F) {
    GatedMlpOperands operands = GatedMlpOperands.of("dyTF", dyTF, gateUpT2F);
    if (!operands.isFp32()) {
      reference.backward(queue, dyTF, gateUpT2F, dGateUpT2F);
      return;
    }
    long channels = operands.channels();
    long dy = operands.inner().address();
    long gateUp = operands.gateUp().address();
    long dGateUp = operands.fused("dGateUpT2F", dGateUpT2F).address();
    forEachChunk(operands, (loops, token, channel, count) -> {
      long at = (2 * token * channels + channel) * 4;
      loops.backward(dy + (token * channels + channel) * 4, gateUp + at, dGateUp + at, channels * 4, count);
    });
  }

  /** Work on some channels of one token. */
  @FunctionalInterface
  private interface ChunkAction {
    void run(SwiGluLoops loops, long token, int channel, int count);
  }

  private void forEachChunk(GatedMlpOperands operands, ChunkAction action) {
    int channels = operands.channels();
    int block = Blocks.rowsOfBlock(channels);
    pool.run(Blocks.count(operands.tokens(), block), (task, scratch) -> {
      SwiGluLoops loops = new SwiGluLoops(scratch);
      long end = Math.min(operands.tokens(), (task + 1L) * block);
      for (long token = (long) task * block; token < end; token++) {
        for (int channel = 0; channel < channels; channel += SwiGluLoops.CHUNK) {
          action.run(loops, token, channel, Math.min(SwiGluLoops.CHUNK, channels - channel));
        }
      }
    });
  }
}
