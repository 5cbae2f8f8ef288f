package io.hirundo.devicecpu.internal.mlp;

import io.hirundo.devicecpu.internal.tensor.CpuTensor;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Tensor;

/**
 * What both kernels of a gated MLP take, checked.
 *
 * @param inner the tensor with a row of F channels for each token
 * @param gateUp the tensor with a row of 2 F
 */
record GatedMlpOperands(CpuTensor inner, CpuTensor gateUp) {
    static GatedMlpOperands of(String innerName, Tensor inner, Tensor gateUpT2F) {
        CpuTensor checked = CpuTensor.CHECK.floating(innerName, inner);
        long rows = checked.shape().rows();
        long channels = checked.shape().columns();
        return new GatedMlpOperands(
                checked, CpuTensor.CHECK.matrix("gateUpT2F", gateUpT2F, rows, 2 * channels, checked.dtype()));
    }

    /** An operand of the shape and type of gateUp. */
    CpuTensor fused(String operand, Tensor tensor) {
        return CpuTensor.CHECK.matrix(operand, tensor, tokens(), 2L * channels(), inner.dtype());
    }

    long tokens() {
        return inner.shape().rows();
    }

    int channels() {
        return Math.toIntExact(inner.shape().columns());
    }

    /** Whether the loops serve: all but FP64. */
    boolean isFast() {
        return inner.dtype() != DType.FP64;
    }
}
