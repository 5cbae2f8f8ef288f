package io.hirundo.devicecpu.internal;

import io.hirundo.devicecpu.internal.gemm.ReferenceGemm;
import io.hirundo.kernel.AttentionKernels;
import io.hirundo.kernel.ElementwiseKernels;
import io.hirundo.kernel.EmbeddingKernels;
import io.hirundo.kernel.GatedMlpKernels;
import io.hirundo.kernel.GemmKernels;
import io.hirundo.kernel.Kernels;
import io.hirundo.kernel.LossKernels;
import io.hirundo.kernel.NormKernels;
import io.hirundo.kernel.OptimizerKernels;

/** The kernels of one CPU device: of each family the Vector API implementation or the scalar reference, as configured. */
final class CpuKernels implements Kernels {
  private final GemmKernels gemm;

  /**
   * @param pool the device's workers, shared by all families
   * @param vector whether to take the Vector API implementations; they leave FP64 to the references
   */
  CpuKernels(WorkerPool pool, boolean vector) {
    gemm = new ReferenceGemm(pool);
  }

  @Override
  public GemmKernels gemm() {
    return gemm;
  }

  @Override
  public NormKernels norm() {
    throw new UnsupportedOperationException("norm kernels");
  }

  @Override
  public AttentionKernels attention() {
    throw new UnsupportedOperationException("attention kernels");
  }

  @Override
  public GatedMlpKernels gatedMlp() {
    throw new UnsupportedOperationException("gated MLP kernels");
  }

  @Override
  public EmbeddingKernels embedding() {
    throw new UnsupportedOperationException("embedding kernels");
  }

  @Override
  public LossKernels loss() {
    throw new UnsupportedOperationException("loss kernels");
  }

  @Override
  public OptimizerKernels optimizer() {
    throw new UnsupportedOperationException("optimizer kernels");
  }

  @Override
  public ElementwiseKernels elementwise() {
    throw new UnsupportedOperationException("elementwise kernels");
  }
}
