package io.hirundo.devicecpu.internal.loss;

import io.hirundo.devicecpu.internal.memory.Memory;
import io.hirundo.devicecpu.internal.tensor.CpuTensor;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Tensor;

/**
 * What both kernels of the cross-entropy take, checked, every label included.
 *
 * @param logits a row of the vocabulary for each token
 * @param labels INT32
 * @param weights FP32; a token of weight 0 is left out, whatever its logits
 * @param lossSum FP64, one element
 */
record LossOperands(CpuTensor logits, CpuTensor labels, CpuTensor weights, CpuTensor lossSum) {
    static LossOperands of(Tensor logitsTV, Tensor labelsT, Tensor weightsT, Tensor lossSum1) {
        CpuTensor logits = CpuTensor.CHECK.floating("logitsTV", logitsTV);
        long tokens = logits.shape().rows();
        LossOperands operands = new LossOperands(
                logits,
                CpuTensor.CHECK.vector("labelsT", labelsT, tokens, DType.INT32),
                CpuTensor.CHECK.vector("weightsT", weightsT, tokens, DType.FP32),
                CpuTensor.CHECK.vector("lossSum1", lossSum1, 1, DType.FP64));
        for (int token = 0; token < tokens; token++) {
            int label = operands.label(token);
            if (label < 0 || label >= operands.vocabulary()) {
                throw new IllegalArgumentException("labelsT has " + label + " at token " + token
                        + ", outside of a vocabulary of " + operands.vocabulary());
            }
        }
        return operands;
    }

    int tokens() {
        return Math.toIntExact(labels.elements());
    }

    int vocabulary() {
        return Math.toIntExact(logits.shape().columns());
    }

    int label(int token) {
        return Memory.getInt(labels.address() + token * 4L);
    }

    float weight(int token) {
        return Memory.getFloat(weights.address() + token * 4L);
    }

    boolean isFast() {
        return VectorLoss.serves(logits);
    }

    void addToLoss(double loss) {
        lossSum.setDouble(0, lossSum.getDouble(0) + loss);
    }
}
