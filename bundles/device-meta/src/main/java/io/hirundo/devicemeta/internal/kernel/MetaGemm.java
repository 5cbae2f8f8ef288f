package io.hirundo.devicemeta.internal.kernel;

import io.hirundo.device.Queue;
import io.hirundo.devicemeta.internal.memory.MetaTensor;
import io.hirundo.devicemeta.internal.work.Work;
import io.hirundo.kernel.GemmKernels;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Tensor;

/** GEMMs: {@code 2 M N K} operations, accumulating or not. */
record MetaGemm(Work work) implements GemmKernels {
    @Override
    public void multiplyNT(Queue queue, Tensor aMK, Tensor bNK, Tensor cMN, boolean accumulate) {
        long k = aMK.shape().columns();
        long n = bNK.shape().rows();
        MetaTensor a = operand("aMK", aMK, cMN);
        multiply(
                queue,
                "gemm.multiplyNT",
                a,
                matrix("bNK", bNK, cMN, n, k),
                cMN,
                aMK.shape().rows(),
                n,
                k);
    }

    @Override
    public void multiplyNN(Queue queue, Tensor aMK, Tensor bKN, Tensor cMN, boolean accumulate) {
        long k = aMK.shape().columns();
        long n = bKN.shape().columns();
        MetaTensor a = operand("aMK", aMK, cMN);
        multiply(
                queue,
                "gemm.multiplyNN",
                a,
                matrix("bKN", bKN, cMN, k, n),
                cMN,
                aMK.shape().rows(),
                n,
                k);
    }

    @Override
    public void multiplyTN(Queue queue, Tensor aKM, Tensor bKN, Tensor cMN, boolean accumulate) {
        long k = aKM.shape().rows();
        long n = bKN.shape().columns();
        MetaTensor a = operand("aKM", aKM, cMN);
        multiply(
                queue,
                "gemm.multiplyTN",
                a,
                matrix("bKN", bKN, cMN, k, n),
                cMN,
                aKM.shape().columns(),
                n,
                k);
    }

    private void multiply(Queue queue, String kernel, MetaTensor a, MetaTensor b, Tensor cMN, long m, long n, long k) {
        MetaTensor c = MetaTensor.CHECK.matrix("cMN", cMN, m, n);
        work.book(queue, kernel, 2 * m * n * k, a, b, c);
    }

    private static MetaTensor matrix(String name, Tensor tensor, Tensor cMN, long rows, long columns) {
        operand(name, tensor, cMN);
        return MetaTensor.CHECK.matrix(name, tensor, rows, columns);
    }

    /** FP64 needs FP64 operands; FP32 and BF16 can be mixed. */
    private static MetaTensor operand(String name, Tensor tensor, Tensor cMN) {
        return MetaTensor.CHECK.floating("cMN", cMN).dtype() == DType.FP64
                ? MetaTensor.CHECK.of(name, tensor, DType.FP64)
                : MetaTensor.CHECK.of(name, tensor, DType.FP32, DType.BF16);
    }
}
