package io.hirundo.devicecpu.internal.mlp;

import io.hirundo.devicecpu.internal.tensor.CpuOperandCheck;
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
        CpuTensor checked = CpuOperandCheck.floating(innerName, inner);
        long rows = CpuOperandCheck.rowsOf(checked);
        long channels = CpuOperandCheck.columnsOf(checked);
        return new GatedMlpOperands(
                checked, CpuOperandCheck.matrix("gateUpT2F", gateUpT2F, rows, 2 * channels, checked.dtype()));
    }

    /** An operand of the shape and type of gateUp. */
    CpuTensor fused(String operand, Tensor tensor) {
        return CpuOperandCheck.matrix(operand, tensor, tokens(), 2L * channels(), inner.dtype());
    }

    long tokens() {
        return CpuOperandCheck.rowsOf(inner);
    }

    int channels() {
        return Math.toIntExact(CpuOperandCheck.columnsOf(inner));
    }

    /** Whether the loops serve: all but FP64. */
    boolean isFast() {
        return inner.dtype() != DType.FP64;
    }
}
