package io.hirundo.devicecpu.internal.kernel;

import io.hirundo.devicecpu.internal.Memory;
import io.hirundo.kernel.Heads;

/**
 * Joins attention over further keys to attention so far; FP32, by address. With l and k the logarithms of the two sums and
 * {@code e = exp(-|l - k|)}, the weight of the larger is {@code 1 / (1 + e)}, that of the smaller {@code e / (1 + e)}, and
 * the logarithm of both {@code max(l, k) + log(1 + e)}. Weights are thus not touched by the rounding of that logarithm.
 */
final class AttentionMerge {
  private final MergeOperands operands;
  private final Heads heads;
  private final long headBytes;

  AttentionMerge(MergeOperands operands) {
    this.operands = operands;
    this.heads = operands.shape().heads();
    this.headBytes = heads.dim() * 4L;
  }

  void tokens(long first, int count) {
    for (long token = first; token < first + count; token++) {
      for (int head = 0; head < heads.query(); head++) {
        join(operands.logSumExpIndex(token, head) * 4, (token * heads.query() + head) * headBytes);
      }
    }
  }

  private void join(long logSumExpOffset, long rowOffset) {
    long part = operands.part().address() + rowOffset;
    long output = operands.output().address() + rowOffset;
    long logSumExp = operands.logSumExp().address() + logSumExpOffset;
    float old = Memory.getFloat(logSumExp);
    float further = Memory.getFloat(operands.partLogSumExp().address() + logSumExpOffset);
    if (old == Float.NEGATIVE_INFINITY) {
      Memory.copy(part, output, headBytes);
      Memory.setFloat(logSumExp, further);
    } else if (further != Float.NEGATIVE_INFINITY) {
      double e = Math.exp(-Math.abs((double) old - further));
      double larger = 1 / (1 + e);
      double smaller = e * larger;
      boolean grows = further > old;
      ElementwiseLoops.mix(
          part, (float) (grows ? larger : smaller), heads.dim(), output, (float) (grows ? smaller : larger));
      Memory.setFloat(logSumExp, (float) (Math.max(old, further) + Math.log(1 + e)));
    }
  }
}
