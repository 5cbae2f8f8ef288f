package io.hirundo.devicecpu.internal.loss;

import io.hirundo.device.Queue;
import io.hirundo.devicecpu.internal.tensor.CpuTensor;
import io.hirundo.kernel.LossKernels;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Shape;
import io.hirundo.tensor.Tensor;

/**
 * Softmax cross-entropy as its formulas say, in double arithmetic, for FP64, FP32 and BF16 logits. With m the largest
 * logit of a token, {@code loss = m + log sum exp(logit - m) - logit[label]} and
 * {@code dLogit = exp(logit - m) / sum - onehot(label)}; m and sum are the whole vocabulary's, whoever holds it.
 */
public final class ReferenceLoss implements LossKernels {
    @Override
    public void crossEntropy(Queue queue, Tensor logitsTV, Tensor labelsT, Tensor weightsT, Tensor lossSum1) {
        LossOperands operands = LossOperands.of(logitsTV, labelsT, weightsT, lossSum1);
        double loss = 0;
        for (int token = 0; token < operands.tokens(); token++) {
            loss += lossOf(operands, token);
        }
        operands.addToLoss(loss);
    }

    @Override
    public void crossEntropyWithGradient(
            Queue queue, Tensor logitsTV, Tensor labelsT, Tensor weightsT, double gradientScale, Tensor lossSum1) {
        LossOperands operands = LossOperands.of(logitsTV, labelsT, weightsT, lossSum1);
        double loss = 0;
        for (int token = 0; token < operands.tokens(); token++) {
            loss += lossOf(operands, token);
            replaceByGradient(operands, token, gradientScale * operands.weight(token));
        }
        operands.addToLoss(loss);
    }

    @Override
    public void maximum(Queue queue, Tensor logitsTV, Tensor maximumT) {
        CpuTensor logits = CpuTensor.CHECK.floating("logitsTV", logitsTV);
        long tokens = logits.shape().rows();
        int vocabulary = Math.toIntExact(logits.shape().columns());
        CpuTensor maximum = CpuTensor.CHECK.vector("maximumT", maximumT, tokens, LossSlice.statisticsType(logits));
        for (long token = 0; token < tokens; token++) {
            maximum.setDouble(token, max(logits, token * vocabulary, vocabulary));
        }
    }

    @Override
    public void partialSums(
            Queue queue, Tensor logitsTV, Tensor labelsT, int firstToken, Tensor maximumT, Tensor sums2T) {
        LossSlice slice = LossSlice.of(logitsTV, labelsT, firstToken, maximumT, sums2T);
        for (int token = 0; token < slice.tokens(); token++) {
            long row = (long) token * slice.vocabulary();
            double max = slice.maximum().getDouble(token);
            int column = slice.column(token);
            slice.sums().setDouble(token, sumOfExponentials(slice.logits(), row, slice.vocabulary(), max));
            slice.sums()
                    .setDouble(
                            slice.tokens() + token,
                            column < 0 ? 0 : slice.logits().getDouble(row + column) - max);
        }
    }

    @Override
    public void lossOfSums(Queue queue, Tensor sums2T, Tensor weightsT, Tensor lossSum1) {
        CpuTensor weights = CpuTensor.CHECK.of("weightsT", weightsT, DType.FP32);
        long tokens = weights.elements();
        CpuTensor sums = CpuTensor.CHECK.of("sums2T", sums2T, DType.FP32, DType.FP64);
        CpuTensor.CHECK.exactly("sums2T", sums, Shape.of(2, tokens), sums.dtype());
        CpuTensor lossSum = CpuTensor.CHECK.vector("lossSum1", lossSum1, 1, DType.FP64);
        double loss = 0;
        for (long token = 0; token < tokens; token++) {
            double weight = weights.getDouble(token);
            loss += weight == 0 ? 0 : weight * (Math.log(sums.getDouble(token)) - sums.getDouble(tokens + token));
        }
        lossSum.setDouble(0, lossSum.getDouble(0) + loss);
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
        LossSlice slice = LossSlice.of(logitsTV, labelsT, firstToken, maximumT, sums2T);
        CpuTensor weights = CpuTensor.CHECK.vector("weightsT", weightsT, slice.tokens(), DType.FP32);
        for (int token = 0; token < slice.tokens(); token++) {
            double scale = gradientScale * weights.getDouble(token);
            long row = (long) token * slice.vocabulary();
            double max = slice.maximum().getDouble(token);
            double sum = slice.sums().getDouble(token);
            replaceByGradient(slice.logits(), row, slice.vocabulary(), max, sum, slice.column(token), scale);
        }
    }

    private static double lossOf(LossOperands operands, int token) {
        if (operands.weight(token) == 0) {
            return 0;
        }
        CpuTensor logits = operands.logits();
        int vocabulary = operands.vocabulary();
        long row = (long) token * vocabulary;
        double max = max(logits, row, vocabulary);
        double logit = logits.getDouble(row + operands.label(token));
        return operands.weight(token) * (max - logit + Math.log(sumOfExponentials(logits, row, vocabulary, max)));
    }

    private static void replaceByGradient(LossOperands operands, int token, double scale) {
        CpuTensor logits = operands.logits();
        int vocabulary = operands.vocabulary();
        long row = (long) token * vocabulary;
        double max = max(logits, row, vocabulary);
        double sum = sumOfExponentials(logits, row, vocabulary, max);
        replaceByGradient(logits, row, vocabulary, max, sum, operands.label(token), scale);
    }

    /**
     * @param row the first of the row's elements
     * @param label the label's column, or -1 where the row does not have it
     */
    private static void replaceByGradient(
            CpuTensor logits, long row, int count, double max, double sum, int label, double scale) {
        for (int i = 0; i < count; i++) {
            double onehot = i == label ? 1 : 0;
            logits.setDouble(
                    row + i, scale == 0 ? 0 : scale * (Math.exp(logits.getDouble(row + i) - max) / sum - onehot));
        }
    }

    private static double max(CpuTensor logits, long row, int count) {
        double max = Double.NEGATIVE_INFINITY;
        for (int i = 0; i < count; i++) {
            max = Math.max(max, logits.getDouble(row + i));
        }
        return max;
    }

    private static double sumOfExponentials(CpuTensor logits, long row, int count, double max) {
        double sum = 0;
        for (int i = 0; i < count; i++) {
            sum += Math.exp(logits.getDouble(row + i) - max);
        }
        return sum;
    }
}
