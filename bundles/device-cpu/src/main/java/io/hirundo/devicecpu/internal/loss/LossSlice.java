package io.hirundo.devicecpu.internal.loss;

import io.hirundo.devicecpu.internal.memory.Memory;
import io.hirundo.devicecpu.internal.tensor.CpuTensor;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Shape;
import io.hirundo.tensor.Tensor;

/**
 * What the kernels of a cross-entropy that is split over ranks take, checked. The size of the whole vocabulary is not known
 * here: a label outside of the slice is another rank's, a negative one nobody's.
 *
 * @param logits columns {@code [firstToken, firstToken + vocabulary)} of the logits of each token; may be none
 * @param labels INT32
 * @param maximum a number for each token, FP32, FP64 with FP64 logits
 * @param sums [2, T] of the same type
 */
record LossSlice(CpuTensor logits, CpuTensor labels, int firstToken, CpuTensor maximum, CpuTensor sums) {
    static LossSlice of(Tensor logitsTV, Tensor labelsT, int firstToken, Tensor maximumT, Tensor sums2T) {
        CpuTensor logits = CpuTensor.CHECK.floating("logitsTV", logitsTV);
        long tokens = logits.shape().rows();
        DType statistics = statisticsType(logits);
        LossSlice slice = new LossSlice(
                logits,
                CpuTensor.CHECK.vector("labelsT", labelsT, tokens, DType.INT32),
                firstToken,
                CpuTensor.CHECK.vector("maximumT", maximumT, tokens, statistics),
                CpuTensor.CHECK.exactly("sums2T", sums2T, Shape.of(2, tokens), statistics));
        if (firstToken < 0) {
            throw new IllegalArgumentException("firstToken is " + firstToken + ", but tokens count from 0");
        }
        for (int token = 0; token < tokens; token++) {
            if (slice.label(token) < 0) {
                throw new IllegalArgumentException(
                        "labelsT has " + slice.label(token) + " at token " + token + ", outside of any vocabulary");
            }
        }
        return slice;
    }

    /** The type of maxima and sums of these logits. */
    static DType statisticsType(CpuTensor logits) {
        return logits.dtype().statisticsType();
    }

    int tokens() {
        return Math.toIntExact(labels.elements());
    }

    int vocabulary() {
        return Math.toIntExact(logits.shape().columns());
    }

    /** The column of a token's label, or -1 where another rank holds it. */
    int column(int token) {
        long column = (long) label(token) - firstToken;
        return column >= 0 && column < vocabulary() ? (int) column : -1;
    }

    boolean isFast() {
        return VectorLoss.serves(logits);
    }

    private int label(int token) {
        return Memory.getInt(labels.address() + token * 4L);
    }
}
