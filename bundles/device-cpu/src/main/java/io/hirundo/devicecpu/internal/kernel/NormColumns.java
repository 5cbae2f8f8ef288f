package io.hirundo.devicecpu.internal.kernel;

import static io.hirundo.devicecpu.internal.Memory.ALL;
import static io.hirundo.devicecpu.internal.Memory.ORDER;
import static io.hirundo.devicecpu.internal.Memory.getFloat;
import static io.hirundo.devicecpu.internal.Memory.setFloat;
import static io.hirundo.devicecpu.internal.kernel.Lanes.FLOATS;
import static jdk.incubator.vector.FloatVector.broadcast;
import static jdk.incubator.vector.FloatVector.fromMemorySegment;

import jdk.incubator.vector.FloatVector;

/**
 * The weight gradient of RMSNorm, {@code dw += sum over tokens of dy x r}; FP32, by address. A task sums one vector of
 * channels over all tokens, in blocks of tokens whose sums are added in order: no partial sums need memory, and rounding
 * errors grow with the block and the number of blocks instead of their product.
 */
final class NormColumns {
  private static final int BLOCK_TOKENS = 64;

  private final long dyTC;
  private final long xTC;
  private final long inverseRmsT;
  private final int tokens;
  private final int channels;

  NormColumns(long dyTC, long xTC, long inverseRmsT, int tokens, int channels) {
    this.dyTC = dyTC;
    this.xTC = xTC;
    this.inverseRmsT = inverseRmsT;
    this.tokens = tokens;
    this.channels = channels;
  }

  int tasks() {
    return Blocks.count(channels, Lanes.COUNT);
  }

  /** Adds the sums of one task's channels to {@code dwC}. */
  void add(int task, long dwC) {
    int first = task * Lanes.COUNT;
    if (first + Lanes.COUNT <= channels) {
      addVector(first * 4L, dwC + first * 4L);
    } else {
      for (int channel = first; channel < channels; channel++) {
        addOne(channel * 4L, dwC + channel * 4L);
      }
    }
  }

  private void addVector(long column, long dw) {
    long rowBytes = channels * 4L;
    FloatVector total = broadcast(FLOATS, 0);
    for (int block = 0; block < tokens; block += BLOCK_TOKENS) {
      int end = Math.min(tokens, block + BLOCK_TOKENS);
      FloatVector sum = broadcast(FLOATS, 0);
      for (int token = block; token < end; token++) {
        long at = token * rowBytes + column;
        FloatVector x = fromMemorySegment(FLOATS, ALL, xTC + at, ORDER).mul(getFloat(inverseRmsT + token * 4L));
        sum = x.fma(fromMemorySegment(FLOATS, ALL, dyTC + at, ORDER), sum);
      }
      total = sum.add(total);
    }
    fromMemorySegment(FLOATS, ALL, dw, ORDER).add(total).intoMemorySegment(ALL, dw, ORDER);
  }

  private void addOne(long column, long dw) {
    long rowBytes = channels * 4L;
    float total = 0;
    for (int block = 0; block < tokens; block += BLOCK_TOKENS) {
      int end = Math.min(tokens, block + BLOCK_TOKENS);
      float sum = 0;
      for (int token = block; token < end; token++) {
        long at = token * rowBytes + column;
        sum = Math.fma(getFloat(xTC + at) * getFloat(inverseRmsT + token * 4L), getFloat(dyTC + at), sum);
      }
      total += sum;
    }
    setFloat(dw, getFloat(dw) + total);
  }
}
