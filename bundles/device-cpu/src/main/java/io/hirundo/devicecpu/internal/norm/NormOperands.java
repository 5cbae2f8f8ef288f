package io.hirundo.devicecpu.internal.norm;

import io.hirundo.devicecpu.internal.tensor.CpuTensor;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Tensor;

/**
 * What every kernel of RMSNorm takes, checked.
 *
 * @param x rows of tokens
 * @param inverseRms one number a token, FP64 if x is and FP32 otherwise
 */
record NormOperands(CpuTensor x, CpuTensor inverseRms) {
    private static final int MOST_WIDENED = 1 << 16;

    static NormOperands of(Tensor xTC, Tensor inverseRmsT) {
        CpuTensor x = CpuTensor.CHECK.floating("xTC", xTC);
        DType statistics = x.dtype().statisticsType();
        return new NormOperands(
                x, CpuTensor.CHECK.vector("inverseRmsT", inverseRmsT, x.shape().rows(), statistics));
    }

    /** An operand of the shape and type of x. */
    CpuTensor rows(String operand, Tensor tensor) {
        return CpuTensor.CHECK.matrix(operand, tensor, tokens(), channels(), x.dtype());
    }

    /** An operand with a number for each channel, of the type of x, or FP32 with a BF16 x. */
    CpuTensor weight(String operand, Tensor tensor) {
        return CpuTensor.CHECK.parameter(operand, tensor, channels(), x.dtype());
    }

    long tokens() {
        return x.shape().rows();
    }

    int channels() {
        return Math.toIntExact(x.shape().columns());
    }

    /** The address of a token's row of BF16. */
    long bf16Row(CpuTensor tensor, long token) {
        return tensor.address() + token * channels() * 2;
    }

    /** Whether the loops serve: FP32, or BF16 whose rows fit a worker's memory widened. */
    boolean isFast() {
        return x.dtype() == DType.FP32 || (x.dtype() == DType.BF16 && channels() <= MOST_WIDENED);
    }
}
