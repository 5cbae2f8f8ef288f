package io.hirundo.devicecpu.internal.loss;

import io.hirundo.device.Queue;
import io.hirundo.devicecpu.internal.memory.Memory;
import io.hirundo.devicecpu.internal.tensor.Bf16;
import io.hirundo.devicecpu.internal.tensor.CpuTensor;
import io.hirundo.devicecpu.internal.threads.Blocks;
import io.hirundo.devicecpu.internal.threads.Scratch;
import io.hirundo.devicecpu.internal.threads.WorkerPool;
import io.hirundo.kernel.LossKernels;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Tensor;
import java.util.function.Function;
import java.util.function.IntToDoubleFunction;

/**
 * Softmax cross-entropy with the Vector API, for FP32, and for BF16 whose rows are widened one by one; with gradient, of BF16 rows that are
 * whole pairs of vectors, in {@link PairedRow}. FP64 logits and BF16 rows of more than {@value #MOST_WIDENED} go to {@link ReferenceLoss}.
 * The losses of a block's tokens are summed in FP64 in order, then those of the blocks. {@link SplitLoss} has the kernels for a vocabulary
 * that is split over ranks.
 */
public final class VectorLoss implements LossKernels {
    private static final int MOST_WIDENED = 1 << 18;

    private final WorkerPool pool;
    private final ReferenceLoss reference = new ReferenceLoss();
    private final SplitLoss split;

    public VectorLoss(WorkerPool pool) {
        this.pool = pool;
        this.split = new SplitLoss(pool, reference);
    }

    static boolean serves(CpuTensor logits) {
        return logits.dtype() == DType.FP32
                || (logits.dtype() == DType.BF16 && logits.shape().columns() <= MOST_WIDENED);
    }

    @Override
    public void crossEntropy(Queue queue, Tensor logitsTV, Tensor labelsT, Tensor weightsT, Tensor lossSum1) {
        LossOperands operands = LossOperands.of(logitsTV, labelsT, weightsT, lossSum1);
        if (operands.isFast()) {
            sum(operands, scratch -> {
                SoftmaxRow softmax = new SoftmaxRow(scratch);
                LogitRows rows = LogitRows.of(operands.logits(), scratch);
                return token -> lossOf(operands, softmax, rows, token);
            });
        } else {
            reference.crossEntropy(queue, logitsTV, labelsT, weightsT, lossSum1);
        }
    }

    @Override
    public void crossEntropyWithGradient(
            Queue queue, Tensor logitsTV, Tensor labelsT, Tensor weightsT, double gradientScale, Tensor lossSum1) {
        LossOperands operands = LossOperands.of(logitsTV, labelsT, weightsT, lossSum1);
        int vocabulary = operands.vocabulary();
        if (operands.isFast() && operands.logits().dtype() == DType.BF16 && PairedRow.serves(vocabulary)) {
            sum(operands, scratch -> {
                PairedRow row = new PairedRow(vocabulary, scratch);
                return token -> lossAndGradientOf(operands, row, token, gradientScale);
            });
        } else if (operands.isFast()) {
            sum(operands, scratch -> {
                SoftmaxRow softmax = new SoftmaxRow(scratch);
                LogitRows rows = LogitRows.of(operands.logits(), scratch);
                return token -> lossAndGradientOf(operands, softmax, rows, token, gradientScale);
            });
        } else {
            reference.crossEntropyWithGradient(queue, logitsTV, labelsT, weightsT, gradientScale, lossSum1);
        }
    }

    @Override
    public void maximum(Queue queue, Tensor logitsTV, Tensor maximumT) {
        split.maximum(queue, logitsTV, maximumT);
    }

    @Override
    public void partialSums(
            Queue queue, Tensor logitsTV, Tensor labelsT, int firstToken, Tensor maximumT, Tensor sums2T) {
        split.partialSums(queue, logitsTV, labelsT, firstToken, maximumT, sums2T);
    }

    /** A logarithm for each token: next to nothing, whatever the type. */
    @Override
    public void lossOfSums(Queue queue, Tensor sums2T, Tensor weightsT, Tensor lossSum1) {
        reference.lossOfSums(queue, sums2T, weightsT, lossSum1);
    }

    @Override
    public void gradientOfSums(
            Queue queue,
            Tensor logitsTV,
            Tensor labelsT,
            int firstToken,
            Tensor maximumT,
            Tensor sums2T,
            Tensor weightsT,
            double gradientScale) {
        split.gradientOfSums(queue, logitsTV, labelsT, firstToken, maximumT, sums2T, weightsT, gradientScale);
    }

    /** Adds the weighted losses of all tokens; a task's function gives that of one. */
    private void sum(LossOperands operands, Function<Scratch, IntToDoubleFunction> task) {
        int block = Blocks.rowsOfBlock(operands.vocabulary());
        // A number for each block of about 32,768 logits: negligible memory.
        double[] sums = new double[Blocks.count(operands.tokens(), block)];
        pool.run(sums.length, (index, scratch) -> {
            IntToDoubleFunction loss = task.apply(scratch);
            int end = Math.min(operands.tokens(), (index + 1) * block);
            double sum = 0;
            for (int token = index * block; token < end; token++) {
                sum += loss.applyAsDouble(token);
            }
            sums[index] = sum;
        });
        double total = 0;
        for (double sum : sums) {
            total += sum;
        }
        operands.addToLoss(total);
    }

    private static double lossOf(LossOperands operands, SoftmaxRow softmax, LogitRows logits, int token) {
        float weight = operands.weight(token);
        if (weight == 0) {
            return 0;
        }
        long row = logits.read(token);
        float max = softmax.max(row, operands.vocabulary());
        double sum = softmax.sumOfExponentials(row, operands.vocabulary(), max);
        return weight * (Math.log(sum) + max - Memory.getFloat(row + operands.label(token) * 4L));
    }

    private static double lossAndGradientOf(
            LossOperands operands, SoftmaxRow softmax, LogitRows logits, int token, double gradientScale) {
        float weight = operands.weight(token);
        int vocabulary = operands.vocabulary();
        if (weight == 0) {
            logits.zero(token);
            return 0;
        }
        long row = logits.read(token);
        long atLabel = row + operands.label(token) * 4L;
        float logit = Memory.getFloat(atLabel);
        float max = softmax.max(row, vocabulary);
        double sum = softmax.exponentiate(row, vocabulary, max);
        LogitRows.replaceByGradient(row, vocabulary, sum, operands.label(token), gradientScale * weight);
        logits.store(token);
        return weight * (Math.log(sum) + max - logit);
    }

    private static double lossAndGradientOf(LossOperands operands, PairedRow softmax, int token, double gradientScale) {
        float weight = operands.weight(token);
        int vocabulary = operands.vocabulary();
        long row = operands.logits().address() + (long) token * vocabulary * 2;
        if (weight == 0) {
            Memory.zero(row, vocabulary * 2L);
            return 0;
        }
        long atLabel = row + operands.label(token) * 2L;
        float logit = Bf16.toFloat(Memory.getShort(atLabel));
        float max = softmax.max(row);
        double sum = softmax.exponentiate(row, max);
        double scale = gradientScale * weight;
        softmax.write((float) (scale / sum), row);
        Memory.setShort(atLabel, Bf16.fromFloat((float)
                (scale * (softmax.exponential(operands.label(token)) / sum - 1))));
        return weight * (Math.log(sum) + max - logit);
    }
}
