package io.hirundo.testkit.scalar;

import io.hirundo.kernel.ArithmeticKernels;
import io.hirundo.kernel.AttentionKernels;
import io.hirundo.kernel.ElementwiseKernels;
import io.hirundo.kernel.EmbeddingKernels;
import io.hirundo.kernel.GatedMlpKernels;
import io.hirundo.kernel.GemmKernels;
import io.hirundo.kernel.Kernels;
import io.hirundo.kernel.LossKernels;
import io.hirundo.kernel.NormKernels;
import io.hirundo.kernel.OptimizerKernels;
import java.util.Optional;

/** The kernel families that precision strategies, optimizers and fabrics use. */
final class ScalarKernels implements Kernels {
  @Override
  public GemmKernels gemm() {
    return new ScalarGemm();
  }

  @Override
  public ElementwiseKernels elementwise() {
    return new ScalarElementwise();
  }

  @Override
  public NormKernels norm() {
    throw missing("norm");
  }

  @Override
  public AttentionKernels attention() {
    throw missing("attention");
  }

  @Override
  public GatedMlpKernels gatedMlp() {
    throw missing("gated MLP");
  }

  @Override
  public EmbeddingKernels embedding() {
    throw missing("embedding");
  }

  @Override
  public LossKernels loss() {
    throw missing("loss");
  }

  @Override
  public OptimizerKernels optimizer() {
    return new ScalarOptimizer();
  }

  @Override
  public Optional<ArithmeticKernels> arithmetic() {
    return Optional.of(new ScalarArithmetic());
  }

  private static UnsupportedOperationException missing(String family) {
    return new UnsupportedOperationException(
        "the testkit's device has no " + family + " kernels; let backend() return another device's");
  }
}
