package io.hirundo.devicecpu.internal.gemm;

import io.hirundo.device.Queue;
import io.hirundo.kernel.GemmKernels;
import io.hirundo.tensor.Tensor;

/** GEMMs whose three forms differ only in how their operands are read. */
public abstract class OperandGemm implements GemmKernels, AutoCloseable {
    @Override
    public final void multiplyNT(Queue queue, Tensor aMK, Tensor bNK, Tensor cMN, boolean accumulate) {
        multiply(GemmOperands.nt(aMK, bNK, cMN), accumulate);
    }

    @Override
    public final void multiplyNN(Queue queue, Tensor aMK, Tensor bKN, Tensor cMN, boolean accumulate) {
        multiply(GemmOperands.nn(aMK, bKN, cMN), accumulate);
    }

    @Override
    public final void multiplyTN(Queue queue, Tensor aKM, Tensor bKN, Tensor cMN, boolean accumulate) {
        multiply(GemmOperands.tn(aKM, bKN, cMN), accumulate);
    }

    /** Multiplies operands that have been checked; extents may be 0. */
    public abstract void multiply(GemmOperands operands, boolean accumulate);

    /** Frees what it has prepared, if anything. No GEMM may run. */
    @Override
    public void close() {}
}
