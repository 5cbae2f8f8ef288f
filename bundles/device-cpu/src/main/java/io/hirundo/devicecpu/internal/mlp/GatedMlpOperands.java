package io.hirundo.devicecpu.internal.mlp;

import io.hirundo.devicecpu.internal.tensor.CpuTensor;
import io.hirundo.devicecpu.internal.tensor.Operands;
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
        CpuTensor checked = Operands.floating(innerName, inner);
        long rows = Operands.rowsOf(checked);
        long channels = Operands.columnsOf(checked);
        return new GatedMlpOperands(
                checked, Operands.matrix("gateUpT2F", gateUpT2F, rows, 2 * channels, checked.dtype()));
    }

    /** An operand of the shape and type of gateUp. */
    CpuTensor fused(String operand, Tensor tensor) {
        return Operands.matrix(operand, tensor, tokens(), 2L * channels(), inner.dtype());
    }

    long tokens() {
        return Operands.rowsOf(inner);
    }

    int channels() {
        return Math.toIntExact(Operands.columnsOf(inner));
    }

    /** Whether the loops serve: all but FP64. */
    boolean isFast() {
        return inner.dtype() != DType.FP64;
    }
}
