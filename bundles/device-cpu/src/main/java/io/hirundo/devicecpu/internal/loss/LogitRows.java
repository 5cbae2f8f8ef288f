package io.hirundo.devicecpu.internal.loss;

import io.hirundo.devicecpu.internal.memory.Memory;
import io.hirundo.devicecpu.internal.tensor.CpuTensor;
import io.hirundo.devicecpu.internal.threads.Scratch;
import io.hirundo.devicecpu.internal.vector.ElementwiseLoops;
import io.hirundo.devicecpu.internal.vector.WideSpan;

/** Rows of logits, read as FP32. */
record LogitRows(WideSpan span, int vocabulary) {
    static LogitRows of(CpuTensor logits, Scratch scratch) {
        int vocabulary = Math.toIntExact(logits.shape().columns());
        return new LogitRows(WideSpan.of(logits, vocabulary, scratch), vocabulary);
    }

    long read(long token) {
        return span.read(token * vocabulary, vocabulary);
    }

    void store(long token) {
        span.store(token * vocabulary, vocabulary);
    }

    void zero(long token) {
        Memory.zero(span.target(token * vocabulary), vocabulary * 4L);
        store(token);
    }

    /**
     * Exponentials become gradients.
     *
     * @param label the label's column, or -1 where the row does not have it
     */
    static void replaceByGradient(long row, int count, double sum, int label, double scale) {
        long atLabel = row + label * 4L;
        double probability = label < 0 ? 0 : Memory.getFloat(atLabel) / sum;
        ElementwiseLoops.scale(row, count, (float) (scale / sum));
        if (label >= 0) {
            Memory.setFloat(atLabel, (float) (scale * (probability - 1)));
        }
    }
}
