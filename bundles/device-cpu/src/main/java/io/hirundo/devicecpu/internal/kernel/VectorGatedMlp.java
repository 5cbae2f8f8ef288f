package io.hirundo.devicecpu.internal.kernel;

import io.hirundo.device.Queue;
import io.hirundo.devicecpu.internal.WorkerPool;
import io.hirundo.kernel.GatedMlpKernels;
import io.hirundo.tensor.Tensor;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.VectorMask;

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
    int channels = operands.channels();
    long gateUp = operands.gateUp().address();
    long y = operands.inner().address();
    Blocks.rows(pool, operands.tokens(), channels, (first, count) -> {
      for (long token = first; token < first + count; token++) {
        forwardRow(gateUp + 2 * token * channels * 4, channels, y + token * channels * 4);
      }
    });
  }

  @Override
  public void backward(Queue queue, Tensor dyTF, Tensor gateUpT2F, Tensor dGateUpT2F) {
    GatedMlpOperands operands = GatedMlpOperands.of("dyTF", dyTF, gateUpT2F);
    if (!operands.isFp32()) {
      reference.backward(queue, dyTF, gateUpT2F, dGateUpT2F);
      return;
    }
    int channels = operands.channels();
    long dy = operands.inner().address();
    long gateUp = operands.gateUp().address();
    long dGateUp = operands.fused("dGateUpT2F", dGateUpT2F).address();
    Blocks.rows(pool, operands.tokens(), channels, (first, count) -> {
      for (long token = first; token < first + count; token++) {
        long row = 2 * token * channels * 4;
        backwardRow(dy + token * channels * 4, gateUp + row, channels, dGateUp + row);
      }
    });
  }

  private static void forwardRow(long gate, int count, long y) {
    long up = gate + count * 4L;
    int whole = (int) Lanes.wholeVectors(count);
    for (int i = 0; i < whole; i += Lanes.COUNT) {
      long at = i * 4L;
      Lanes.store(swiGlu(Lanes.load(gate + at), Lanes.load(up + at)), y + at);
    }
    if (whole < count) {
      VectorMask<Float> tail = Lanes.tail(count - whole);
      long at = whole * 4L;
      Lanes.store(swiGlu(Lanes.load(gate + at, tail), Lanes.load(up + at, tail)), y + at, tail);
    }
  }

  private static FloatVector swiGlu(FloatVector gate, FloatVector up) {
    return gate.mul(up).div(VectorExp.exp(gate.neg()).add(1));
  }

  private static void backwardRow(long dy, long gate, int count, long dGate) {
    long upOffset = count * 4L;
    int whole = (int) Lanes.wholeVectors(count);
    for (int i = 0; i < whole; i += Lanes.COUNT) {
      long at = i * 4L;
      FloatVector g = Lanes.load(gate + at);
      FloatVector s = sigmoid(g);
      FloatVector dySigmoid = Lanes.load(dy + at).mul(s);
      Lanes.store(dySigmoid.mul(Lanes.load(gate + upOffset + at)).mul(slope(g, s)), dGate + at);
      Lanes.store(dySigmoid.mul(g), dGate + upOffset + at);
    }
    if (whole < count) {
      VectorMask<Float> tail = Lanes.tail(count - whole);
      long at = whole * 4L;
      FloatVector g = Lanes.load(gate + at, tail);
      FloatVector s = sigmoid(g);
      FloatVector dySigmoid = Lanes.load(dy + at, tail).mul(s);
      Lanes.store(dySigmoid.mul(Lanes.load(gate + upOffset + at, tail)).mul(slope(g, s)), dGate + at, tail);
      Lanes.store(dySigmoid.mul(g), dGate + upOffset + at, tail);
    }
  }

  private static FloatVector sigmoid(FloatVector x) {
    return Lanes.splat(1).div(VectorExp.exp(x.neg()).add(1));
  }

  /** {@code 1 + gate (1 - s)}. */
  private static FloatVector slope(FloatVector gate, FloatVector s) {
    FloatVector one = Lanes.splat(1);
    return one.sub(s).fma(gate, one);
  }
}
