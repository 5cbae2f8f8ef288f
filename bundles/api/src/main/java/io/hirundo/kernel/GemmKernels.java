package io.hirundo.kernel;

import io.hirundo.device.Queue;
import io.hirundo.tensor.Tensor;
import org.osgi.annotation.versioning.ConsumerType;

/**
 * Matrix products. The letters N and T say whether an operand is read as stored or transposed; M, N and K are rows and
 * columns of the result and the contracted extent. Operands may be FP32 or BF16 each, accumulated in FP32, the result
 * FP32 or BF16; or all three FP64. Tensors of higher rank count as matrices of {@code shape().rows()} rows.
 */
@ConsumerType
public interface GemmKernels {
  /** {@code c[M,N] = (accumulate ? c : 0) + a[M,K] b[N,K]ᵀ}: the forward product of a linear layer. */
  void multiplyNT(Queue queue, Tensor aMK, Tensor bNK, Tensor cMN, boolean accumulate);

  /** {@code c[M,N] = (accumulate ? c : 0) + a[M,K] b[K,N]}: the input gradient of a linear layer. */
  void multiplyNN(Queue queue, Tensor aMK, Tensor bKN, Tensor cMN, boolean accumulate);

  /** {@code c[M,N] = (accumulate ? c : 0) + a[K,M]ᵀ b[K,N]}: the weight gradient of a linear layer. */
  void multiplyTN(Queue queue, Tensor aKM, Tensor bKN, Tensor cMN, boolean accumulate);
}
