package io.hirundo.kernel;

import java.util.Optional;
import org.osgi.annotation.versioning.ConsumerType;

/**
 * All kernels of one device, by family.
 *
 * <p>Shape suffixes, here and in every family: T tokens of a microbatch (sequence after sequence), C hidden channels, F
 * inner channels of the MLP, V vocabulary, B sequences, S tokens of a sequence, H query heads, G key/value heads, D
 * channels of a head, E = (H + 2 G) D, N outputs, K inputs, 1 a single element.
 *
 * <p>Rules for all: tensors are of the kernel's device, floating tensors of one call share a data type unless its
 * documentation says otherwise; parameters and their gradients may be FP32 beside BF16 activations, sums are made in at least fp32, results do not depend on the number of workers, operands
 * do not overlap unless named so, wrong shapes and data types are {@link IllegalArgumentException}s that name the operand.
 */
@ConsumerType
public interface Kernels {
  GemmKernels gemm();

  NormKernels norm();

  AttentionKernels attention();

  GatedMlpKernels gatedMlp();

  EmbeddingKernels embedding();

  LossKernels loss();

  OptimizerKernels optimizer();

  ElementwiseKernels elementwise();

  /** Of 8-bit matrices; empty where the device has none. */
  default Optional<BlockScaledKernels> blockScaled() {
    return Optional.empty();
  }

  /** Of 8-bit matrices with one scale each; empty where the device has none, or no {@link #blockScaled} to multiply them. */
  default Optional<MatrixScaledKernels> matrixScaled() {
    return Optional.empty();
  }

  /** Of 8-bit matrices that come in pieces; empty where the device has none, or no {@link #blockScaled} to multiply them. */
  default Optional<PieceScaledKernels> pieceScaled() {
    return Optional.empty();
  }
}
