package io.hirundo.kernel;

import io.hirundo.device.Queue;
import io.hirundo.tensor.Tensor;
import org.osgi.annotation.versioning.ConsumerType;

/**
 * GEMMs. The letters N and T say whether an operand is read as stored or transposed. M and N are the rows and columns of the
 * result; K is the contracted dimension. Operands may each be FP32 or BF16, accumulated in FP32, with an FP32 or BF16 result; or
 * all three are FP64. Tensors of higher rank are matrices of {@code shape().rows()} rows.
 */
@ConsumerType
public interface GemmKernels {
    /** {@code c[M,N] = (accumulate ? c : 0) + a[M,K] b[N,K]ᵀ}: forward of a linear layer. */
    void multiplyNT(Queue queue, Tensor aMK, Tensor bNK, Tensor cMN, boolean accumulate);

    /** {@code c[M,N] = (accumulate ? c : 0) + a[M,K] b[K,N]}: input gradient of a linear layer. */
    void multiplyNN(Queue queue, Tensor aMK, Tensor bKN, Tensor cMN, boolean accumulate);

    /** {@code c[M,N] = (accumulate ? c : 0) + a[K,M]ᵀ b[K,N]}: weight gradient of a linear layer. */
    void multiplyTN(Queue queue, Tensor aKM, Tensor bKN, Tensor cMN, boolean accumulate);
}
