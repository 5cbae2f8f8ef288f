package io.hirundo.devicecpu.internal.attention;

import io.hirundo.devicecpu.internal.memory.Memory;
import io.hirundo.devicecpu.internal.threads.Scratch;
import io.hirundo.devicecpu.internal.vector.ElementwiseLoops;
import io.hirundo.devicecpu.internal.vector.WideSpan;
import io.hirundo.kernel.attention.Heads;

/**
 * Joins attention over further keys to attention so far, FP32, or BF16 whose heads are widened one by one. With l and k the
 * logarithms of the two sums and {@code e = exp(-|l - k|)}, the weight of the larger is {@code 1 / (1 + e)}, that of the smaller
 * {@code e / (1 + e)}, and the logarithm of both {@code max(l, k) + log(1 + e)}. Weights are thus not touched by the rounding of
 * that logarithm.
 */
final class AttentionMerge {
    private final MergeOperands operands;
    private final Heads heads;
    private final int dim;

    AttentionMerge(MergeOperands operands) {
        this.operands = operands;
        this.heads = operands.shape().heads();
        this.dim = heads.dim();
    }

    void tokens(long first, int count, Scratch scratch) {
        WideSpan part = WideSpan.of(operands.part(), dim, scratch);
        WideSpan output = WideSpan.of(operands.output(), dim, scratch);
        for (long token = first; token < first + count; token++) {
            for (int head = 0; head < heads.query(); head++) {
                join(part, output, operands.logSumExpIndex(token, head) * 4, (token * heads.query() + head) * dim);
            }
        }
    }

    private void join(WideSpan part, WideSpan output, long logSumExpOffset, long element) {
        long logSumExp = operands.logSumExp().address() + logSumExpOffset;
        float old = Memory.getFloat(logSumExp);
        float further = Memory.getFloat(operands.partLogSumExp().address() + logSumExpOffset);
        if (old == Float.NEGATIVE_INFINITY) {
            long size = operands.output().dtype().byteSize();
            Memory.copy(
                    operands.part().address() + element * size,
                    operands.output().address() + element * size,
                    dim * size);
            Memory.setFloat(logSumExp, further);
        } else if (further != Float.NEGATIVE_INFINITY) {
            double e = Math.exp(-Math.abs((double) old - further));
            double larger = 1 / (1 + e);
            double smaller = e * larger;
            boolean grows = further > old;
            ElementwiseLoops.mix(
                    part.read(element, dim), (float) (grows ? larger : smaller), dim, output.read(element, dim), (float)
                            (grows ? smaller : larger));
            output.store(element, dim);
            Memory.setFloat(logSumExp, (float) (Math.max(old, further) + Math.log(1 + e)));
        }
    }
}
