package io.hirundo.devicemeta.internal.kernel;

import io.hirundo.devicemeta.internal.work.Work;
import io.hirundo.kernel.AdamW8BitKernels;
import io.hirundo.kernel.ArithmeticKernels;
import io.hirundo.kernel.AttentionKernels;
import io.hirundo.kernel.BiasKernels;
import io.hirundo.kernel.BlockScaledKernels;
import io.hirundo.kernel.ElementwiseKernels;
import io.hirundo.kernel.EmbeddingKernels;
import io.hirundo.kernel.GatedMlpKernels;
import io.hirundo.kernel.GemmKernels;
import io.hirundo.kernel.Kernels;
import io.hirundo.kernel.LossKernels;
import io.hirundo.kernel.MatrixScaledKernels;
import io.hirundo.kernel.NormKernels;
import io.hirundo.kernel.OptimizerKernels;
import io.hirundo.kernel.PieceScaledKernels;
import io.hirundo.kernel.SoftCapKernels;
import io.hirundo.kernel.StochasticRoundingKernels;
import java.util.Optional;
import java.util.function.LongConsumer;

/**
 * All kernel families.
 *
 * @param ofQueryGradients allocates and releases workspace bytes for the dQ accumulators
 */
public record MetaKernels(Work work, LongConsumer ofQueryGradients) implements Kernels {
  @Override
  public GemmKernels gemm() {
    return new MetaGemm(work);
  }

  @Override
  public NormKernels norm() {
    return new MetaNorm(work);
  }

  @Override
  public AttentionKernels attention() {
    return new MetaAttention(work, ofQueryGradients);
  }

  @Override
  public GatedMlpKernels gatedMlp() {
    return new MetaGatedMlp(work);
  }

  @Override
  public EmbeddingKernels embedding() {
    return new MetaEmbedding(work);
  }

  @Override
  public LossKernels loss() {
    return new MetaLoss(work);
  }

  @Override
  public OptimizerKernels optimizer() {
    return new MetaOptimizer(work);
  }

  @Override
  public ElementwiseKernels elementwise() {
    return new MetaElementwise(work);
  }

  @Override
  public Optional<BiasKernels> bias() {
    return Optional.of(new MetaBias(work));
  }

  @Override
  public Optional<SoftCapKernels> softCap() {
    return Optional.of(new MetaSoftCap(work));
  }

  @Override
  public Optional<ArithmeticKernels> arithmetic() {
    return Optional.of(new MetaArithmetic(work));
  }

  @Override
  public Optional<AdamW8BitKernels> adamW8Bit() {
    return Optional.of(new MetaAdamW8Bit(work));
  }

  @Override
  public Optional<StochasticRoundingKernels> stochasticRounding() {
    return Optional.of(new MetaStochasticRounding(work));
  }

  @Override
  public Optional<BlockScaledKernels> blockScaled() {
    return Optional.of(new MetaBlockScaled(work));
  }

  @Override
  public Optional<MatrixScaledKernels> matrixScaled() {
    return Optional.of(new MetaMatrixScaled(work));
  }

  @Override
  public Optional<PieceScaledKernels> pieceScaled() {
    return Optional.of(new MetaPieceScaled(work));
  }
}
