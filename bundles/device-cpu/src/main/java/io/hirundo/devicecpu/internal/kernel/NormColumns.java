package io.hirundo.devicecpu.internal.kernel;

import io.hirundo.devicecpu.internal.Memory;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.VectorMask;

/**
 * The weight gradient of RMSNorm, {@code dw += sum over tokens of dy x r}; FP32, by address. A task sums a few channels
 * over all tokens, in blocks of tokens whose sums are added in order: no partial sums need memory, and rounding errors
 * grow with the block and the number of blocks instead of their product.
 */
final class NormColumns {
  private static final int VECTORS = 2;
  private static final int CHANNELS = VECTORS * Lanes.COUNT;
  private static final int BLOCK_TOKENS = 64;

  private final long dyTC;
  private final long xTC;
  private final long inverseRmsT;
  private final long tokens;
  private final int channels;

  NormColumns(long dyTC, long xTC, long inverseRmsT, long tokens, int channels) {
    this.dyTC = dyTC;
    this.xTC = xTC;
    this.inverseRmsT = inverseRmsT;
    this.tokens = tokens;
    this.channels = channels;
  }

  int tasks() {
    return Blocks.count(channels, CHANNELS);
  }

  /** Adds the sums of one task's channels to {@code dwC}. */
  void add(int task, long dwC) {
    int first = task * CHANNELS;
    int count = Math.min(CHANNELS, channels - first);
    VectorMask<Float> firstMask = Lanes.tail(count);
    VectorMask<Float> secondMask = Lanes.tail(Math.max(0, count - Lanes.COUNT));
    long rowBytes = channels * 4L;
    FloatVector total1 = Lanes.splat(0);
    FloatVector total2 = total1;
    for (long block = 0; block < tokens; block += BLOCK_TOKENS) {
      int blockTokens = (int) Math.min(BLOCK_TOKENS, tokens - block);
      FloatVector sum1 = Lanes.splat(0);
      FloatVector sum2 = sum1;
      for (int i = 0; i < blockTokens; i++) {
        long at = (block + i) * rowBytes + first * 4L;
        float r = Memory.getFloat(inverseRmsT + (block + i) * 4);
        FloatVector x1 = Lanes.load(xTC + at, firstMask).mul(r);
        FloatVector x2 = Lanes.load(xTC + at + Lanes.BYTES, secondMask).mul(r);
        sum1 = x1.fma(Lanes.load(dyTC + at, firstMask), sum1);
        sum2 = x2.fma(Lanes.load(dyTC + at + Lanes.BYTES, secondMask), sum2);
      }
      total1 = total1.add(sum1);
      total2 = total2.add(sum2);
    }
    long target = dwC + first * 4L;
    Lanes.store(Lanes.load(target, firstMask).add(total1), target, firstMask);
    long second = target + Lanes.BYTES;
    Lanes.store(Lanes.load(second, secondMask).add(total2), second, secondMask);
  }
}
