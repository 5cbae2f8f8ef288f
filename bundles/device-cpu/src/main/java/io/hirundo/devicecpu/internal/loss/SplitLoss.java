package io.hirundo.devicecpu.internal.loss;

import io.hirundo.device.Queue;
import io.hirundo.devicecpu.internal.memory.Memory;
import io.hirundo.devicecpu.internal.tensor.CpuTensor;
import io.hirundo.devicecpu.internal.threads.Blocks;
import io.hirundo.devicecpu.internal.threads.WorkerPool;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Tensor;

/** The kernels of {@link VectorLoss} for columns of a vocabulary that is split over ranks. */
final class SplitLoss {
    private final WorkerPool pool;
    private final ReferenceLoss reference;

    /** @param reference for logits that the loops do not serve */
    SplitLoss(WorkerPool pool, ReferenceLoss reference) {
        this.pool = pool;
        this.reference = reference;
    }

    void maximum(Queue queue, Tensor logitsTV, Tensor maximumT) {
        CpuTensor logits = CpuTensor.CHECK.floating("logitsTV", logitsTV);
        if (!VectorLoss.serves(logits)) {
            reference.maximum(queue, logitsTV, maximumT);
            return;
        }
        int tokens = Math.toIntExact(logits.shape().rows());
        int vocabulary = Math.toIntExact(logits.shape().columns());
        long maximum =
                CpuTensor.CHECK.vector("maximumT", maximumT, tokens, DType.FP32).address();
        forEachToken(
                logits,
                (softmax, row, token) ->
                        Memory.setFloat(maximum + token * 4L, softmax.max(row.read(token), vocabulary)));
    }

    void partialSums(Queue queue, Tensor logitsTV, Tensor labelsT, int firstToken, Tensor maximumT, Tensor sums2T) {
        LossSlice slice = LossSlice.of(logitsTV, labelsT, firstToken, maximumT, sums2T);
        if (!slice.isFast()) {
            reference.partialSums(queue, logitsTV, labelsT, firstToken, maximumT, sums2T);
            return;
        }
        int vocabulary = slice.vocabulary();
        long sums = slice.sums().address();
        long labelled = sums + slice.tokens() * 4L;
        forEachToken(slice.logits(), (softmax, logits, token) -> {
            long row = logits.read(token);
            float max = Memory.getFloat(slice.maximum().address() + token * 4L);
            int column = slice.column(token);
            Memory.setFloat(sums + token * 4L, (float) softmax.sumOfExponentials(row, vocabulary, max));
            Memory.setFloat(labelled + token * 4L, column < 0 ? 0 : Memory.getFloat(row + column * 4L) - max);
        });
    }

    void gradientOfSums(
            Queue queue,
            Tensor logitsTV,
            Tensor labelsT,
            int firstToken,
            Tensor maximumT,
            Tensor sums2T,
            Tensor weightsT,
            double gradientScale) {
        LossSlice slice = LossSlice.of(logitsTV, labelsT, firstToken, maximumT, sums2T);
        if (!slice.isFast()) {
            reference.gradientOfSums(queue, logitsTV, labelsT, firstToken, maximumT, sums2T, weightsT, gradientScale);
            return;
        }
        int vocabulary = slice.vocabulary();
        long weights = CpuTensor.CHECK
                .vector("weightsT", weightsT, slice.tokens(), DType.FP32)
                .address();
        forEachToken(slice.logits(), (softmax, logits, token) -> {
            double scale = gradientScale * Memory.getFloat(weights + token * 4L);
            if (scale == 0) {
                logits.zero(token);
                return;
            }
            long row = logits.read(token);
            softmax.exponentiate(
                    row, vocabulary, Memory.getFloat(slice.maximum().address() + token * 4L));
            double sum = Memory.getFloat(slice.sums().address() + token * 4L);
            LogitRows.replaceByGradient(row, vocabulary, sum, slice.column(token), scale);
            logits.store(token);
        });
    }

    /** Work on one token. */
    @FunctionalInterface
    private interface TokenAction {
        void run(SoftmaxRow softmax, LogitRows rows, int token);
    }

    private void forEachToken(CpuTensor logits, TokenAction action) {
        Blocks.rows(pool, logits.shape().rows(), logits.shape().columns(), (first, count, scratch) -> {
            SoftmaxRow softmax = new SoftmaxRow(scratch);
            LogitRows rows = LogitRows.of(logits, scratch);
            for (int token = (int) first; token < first + count; token++) {
                action.run(softmax, rows, token);
            }
        });
    }
}
