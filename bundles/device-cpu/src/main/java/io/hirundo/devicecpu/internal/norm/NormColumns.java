package io.hirundo.devicecpu.internal.norm;

import static io.hirundo.devicecpu.internal.memory.Memory.ALL;
import static io.hirundo.devicecpu.internal.memory.Memory.ORDER;
import static io.hirundo.devicecpu.internal.memory.Memory.getFloat;
import static io.hirundo.devicecpu.internal.memory.Memory.setFloat;
import static io.hirundo.devicecpu.internal.vector.Lanes.FLOATS;
import static jdk.incubator.vector.FloatVector.broadcast;
import static jdk.incubator.vector.FloatVector.fromMemorySegment;

import io.hirundo.devicecpu.internal.tensor.CpuTensor;
import io.hirundo.devicecpu.internal.threads.Blocks;
import io.hirundo.devicecpu.internal.threads.Scratch;
import io.hirundo.devicecpu.internal.vector.Lanes;
import io.hirundo.devicecpu.internal.vector.WideSpan;
import jdk.incubator.vector.FloatVector;

/**
 * The weight gradient of RMSNorm, {@code dw += sum over tokens of dy x r}, into FP32. A task sums one vector of channels over all
 * tokens, in blocks of tokens whose sums are added in order: no partial sums need memory, and rounding errors grow with the
 * block and the number of blocks instead of their product. The columns of a block of BF16 are widened.
 */
final class NormColumns {
  private static final int BLOCK_TOKENS = 64;

  private final NormOperands operands;
  private final CpuTensor dyTC;
  private final int tokens;
  private final int channels;

  NormColumns(NormOperands operands, CpuTensor dyTC) {
    this.operands = operands;
    this.dyTC = dyTC;
    this.tokens = Math.toIntExact(operands.tokens());
    this.channels = operands.channels();
  }

  int tasks() {
    return Blocks.count(channels, Lanes.COUNT);
  }

  /** Adds the sums of one task's channels to {@code dwC}. */
  void add(int task, Scratch scratch, long dwC) {
    int first = task * Lanes.COUNT;
    int count = Math.min(Lanes.COUNT, channels - first);
    WideSpan x = WideSpan.of(operands.x(), (long) BLOCK_TOKENS * count, scratch);
    WideSpan dy = WideSpan.of(dyTC, (long) BLOCK_TOKENS * count, scratch);
    if (count == Lanes.COUNT) {
      addVector(x, dy, first, dwC + first * 4L);
    } else {
      addOthers(x, dy, first, count, dwC + first * 4L);
    }
  }

  private void addVector(WideSpan xTC, WideSpan dyTC, int first, long dw) {
    long rowBytes = xTC.stride(channels, Lanes.COUNT);
    FloatVector total = broadcast(FLOATS, 0);
    for (int block = 0; block < tokens; block += BLOCK_TOKENS) {
      int count = Math.min(BLOCK_TOKENS, tokens - block);
      long xs = xTC.readRows((long) block * channels + first, channels, count, Lanes.COUNT);
      long dys = dyTC.readRows((long) block * channels + first, channels, count, Lanes.COUNT);
      long rs = operands.inverseRms().address() + block * 4L;
      FloatVector sum = broadcast(FLOATS, 0);
      for (int token = 0; token < count; token++) {
        long at = token * rowBytes;
        FloatVector x = fromMemorySegment(FLOATS, ALL, xs + at, ORDER).mul(getFloat(rs + token * 4L));
        sum = x.fma(fromMemorySegment(FLOATS, ALL, dys + at, ORDER), sum);
      }
      total = sum.add(total);
    }
    fromMemorySegment(FLOATS, ALL, dw, ORDER).add(total).intoMemorySegment(ALL, dw, ORDER);
  }

  private void addOthers(WideSpan xTC, WideSpan dyTC, int first, int others, long dw) {
    long rowBytes = xTC.stride(channels, others);
    float[] totals = new float[others];
    for (int block = 0; block < tokens; block += BLOCK_TOKENS) {
      int count = Math.min(BLOCK_TOKENS, tokens - block);
      long xs = xTC.readRows((long) block * channels + first, channels, count, others);
      long dys = dyTC.readRows((long) block * channels + first, channels, count, others);
      long rs = operands.inverseRms().address() + block * 4L;
      for (int channel = 0; channel < others; channel++) {
        float sum = 0;
        for (int token = 0; token < count; token++) {
          long at = token * rowBytes + channel * 4L;
          sum = Math.fma(getFloat(xs + at) * getFloat(rs + token * 4L), getFloat(dys + at), sum);
        }
        totals[channel] += sum;
      }
    }
    for (int channel = 0; channel < others; channel++) {
      setFloat(dw + channel * 4L, getFloat(dw + channel * 4L) + totals[channel]);
    }
  }
}
