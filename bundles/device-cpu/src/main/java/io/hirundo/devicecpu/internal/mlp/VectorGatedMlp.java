package io.hirundo.devicecpu.internal.mlp;

import io.hirundo.device.Queue;
import io.hirundo.devicecpu.internal.tensor.CpuTensor;
import io.hirundo.devicecpu.internal.threads.Blocks;
import io.hirundo.devicecpu.internal.threads.Scratch;
import io.hirundo.devicecpu.internal.threads.WorkerPool;
import io.hirundo.devicecpu.internal.vector.WideSpan;
import io.hirundo.kernel.GateActivation;
import io.hirundo.kernel.GatedMlpKernels;
import io.hirundo.tensor.Tensor;
import java.util.function.BiFunction;

/** Gated MLPs with the Vector API, for FP32, and for BF16 that is widened chunk by chunk. FP64 goes to {@link ReferenceGatedMlp}. */
public final class VectorGatedMlp implements GatedMlpKernels {
  private final WorkerPool pool;
  private final ReferenceGatedMlp reference = new ReferenceGatedMlp();

  public VectorGatedMlp(WorkerPool pool) {
    this.pool = pool;
  }

  @Override
  public boolean supports(GateActivation activation) {
    return true;
  }

  @Override
  public void forward(Queue queue, GateActivation activation, Tensor gateUpT2F, Tensor yTF) {
    GatedMlpOperands operands = GatedMlpOperands.of("yTF", yTF, gateUpT2F);
    if (!operands.isFast()) {
      reference.forward(queue, activation, gateUpT2F, yTF);
      return;
    }
    forEachChunk(operands, activation, (loops, scratch) -> {
      WideSpan gate = chunk(operands.gateUp(), scratch);
      WideSpan up = chunk(operands.gateUp(), scratch);
      WideSpan y = chunk(operands.inner(), scratch);
      return (atGate, atUp, atInner, count) -> {
        loops.forward(gate.read(atGate, count), up.read(atUp, count), count, y.target(atInner));
        y.store(atInner, count);
      };
    });
  }

  @Override
  public void backward(Queue queue, GateActivation activation, Tensor dyTF, Tensor gateUpT2F, Tensor dGateUpT2F) {
    GatedMlpOperands operands = GatedMlpOperands.of("dyTF", dyTF, gateUpT2F);
    if (!operands.isFast()) {
      reference.backward(queue, activation, dyTF, gateUpT2F, dGateUpT2F);
      return;
    }
    CpuTensor dGateUp = operands.fused("dGateUpT2F", dGateUpT2F);
    forEachChunk(operands, activation, (loops, scratch) -> {
      WideSpan gate = chunk(operands.gateUp(), scratch);
      WideSpan up = chunk(operands.gateUp(), scratch);
      WideSpan dy = chunk(operands.inner(), scratch);
      WideSpan dGate = chunk(dGateUp, scratch);
      WideSpan dUp = chunk(dGateUp, scratch);
      return (atGate, atUp, atInner, count) -> {
        var given = new GatedMlpLoops.Given(dy.read(atInner, count), gate.read(atGate, count), up.read(atUp, count));
        loops.backward(given, dGate.target(atGate), dUp.target(atUp), count);
        dGate.store(atGate, count);
        dUp.store(atUp, count);
      };
    });
  }

  /** Work on some channels of one token, by the indices of the first. */
  @FunctionalInterface
  private interface ChunkAction {
    void run(long atGate, long atUp, long atInner, int count);
  }

  private void forEachChunk(
      GatedMlpOperands operands, GateActivation activation, BiFunction<GatedMlpLoops, Scratch, ChunkAction> task) {
    int channels = operands.channels();
    Blocks.rows(pool, operands.tokens(), channels, (first, tokens, scratch) -> {
      ChunkAction action = task.apply(new GatedMlpLoops(activation, scratch), scratch);
      for (long token = first; token < first + tokens; token++) {
        for (int channel = 0; channel < channels; channel += GatedMlpLoops.CHUNK) {
          long atGate = 2 * token * channels + channel;
          int count = Math.min(GatedMlpLoops.CHUNK, channels - channel);
          action.run(atGate, atGate + channels, token * channels + channel, count);
        }
      }
    });
  }

  private static WideSpan chunk(CpuTensor tensor, Scratch scratch) {
    return WideSpan.of(tensor, GatedMlpLoops.CHUNK, scratch);
  }
}
